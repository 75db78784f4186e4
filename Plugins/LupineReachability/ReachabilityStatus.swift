/// Whether this machine has a route to the network or to a host.
///
/// The status states where the kernel would send a packet, not whether the server would answer. Use it to explain a
/// failure and to wait for a network, not to decide whether to send.
public enum ReachabilityStatus: Sendable, Hashable {
  /// The kernel's tables cannot be read, or do not suffice.
  case unknown(UnknownReason)
  /// There is no route.
  case notReachable
  /// There is a route over this kind of connection.
  case reachable(ConnectionType)

  /// The kind of connection that a route uses.
  public enum ConnectionType: String, Sendable, Hashable {
    /// Any connection except a cellular modem: Ethernet, Wi-Fi, a bridge, a container's virtual link.
    case ethernetOrWiFi
    /// A cellular modem (WWAN).
    case cellular
  }

  /// The reason for an unknown status.
  public enum UnknownReason: Sendable, Hashable {
    /// The status has not been determined yet.
    case notDetermined
    /// The netlink socket is unavailable, for example under a seccomp filter; the text states the failure.
    case netlinkUnavailable(String)
    /// There is a route, but its kind of connection is unknown; the text states the reason.
    case interfaceKindUnknown(String)
    /// The host's name has no address; the text is the resolver's message.
    case hostNotResolved(String)
  }

  /// Whether there is a route over a connection of a known kind.
  public var isReachable: Bool { if case .reachable = self { true } else { false } }
}

extension ReachabilityStatus: CustomStringConvertible {
  /// The status in a few words, with the reason of an unknown one.
  public var description: String {
    switch self {
    case .unknown(let reason): "unknown (\(reason))"
    case .notReachable: "not reachable"
    case .reachable(.ethernetOrWiFi): "reachable over Ethernet or Wi-Fi"
    case .reachable(.cellular): "reachable over a cellular network"
    }
  }
}

extension ReachabilityStatus.UnknownReason: CustomStringConvertible {
  /// The reason in a few words.
  public var description: String {
    switch self {
    case .notDetermined: "not determined yet"
    case .netlinkUnavailable(let text): "no netlink: \(text)"
    case .interfaceKindUnknown(let text): "the kind of the interface is unknown: \(text)"
    case .hostNotResolved(let text): "the host's name has no address: \(text)"
    }
  }
}
