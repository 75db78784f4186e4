import CNetlink

/// A parsed netlink message of a supported type.
enum KernelMessage: Equatable {
  case link(LinkFacts)
  case linkRemoved(Int32)
  case address(AddressFacts)
  case addressRemoved(AddressFacts)
  case route(RouteFacts)
  case routeRemoved(RouteFacts)
  /// The end of a dump, with 0 or an error number.
  case done(Int32)
  /// An error number, or 0 for an acknowledgement.
  case answer(Int32)

  /// Parses a message; `nil` if it is truncated or of another type.
  init?(_ message: NetlinkMessages.Message) {
    let payload = message.payload
    switch Int(message.type) {
    case Int(NLMSG_DONE): self = .done(0 &- (payload.value(Int32.self) ?? 0))
    case Int(NLMSG_ERROR):
      guard let code = payload.value(Int32.self) else { return nil }
      self = .answer(0 &- code)
    case RTM_NEWLINK:
      guard let link = LinkFacts(payload) else { return nil }
      self = .link(link)
    case RTM_DELLINK:
      guard let header = payload.value(ifinfomsg.self), header.ifi_family == UInt8(AF_UNSPEC) else { return nil }
      self = .linkRemoved(header.ifi_index)
    case RTM_NEWADDR, RTM_DELADDR:
      guard let address = AddressFacts(payload) else { return nil }
      self = Int(message.type) == RTM_NEWADDR ? .address(address) : .addressRemoved(address)
    case RTM_NEWROUTE, RTM_DELROUTE:
      guard let route = RouteFacts(payload) else { return nil }
      self = Int(message.type) == RTM_NEWROUTE ? .route(route) : .routeRemoved(route)
    default: return nil
    }
  }
}
