/// Whether the network, or a host, can be reached as far as this machine's own routes tell.
///
/// It says what the kernel would do with a packet, not whether an answer would come: use it to explain a failure and to
/// wait for a network, never to decide whether to send.
public enum ReachabilityStatus: Sendable, Hashable {
  /// The kernel could not be asked, or its answer does not suffice.
  case unknown(UnknownReason)
  /// There is no route.
  case notReachable
  /// There is a route, over this kind of connection.
  case reachable(ConnectionType)

  /// What a route leads over.
  public enum ConnectionType: String, Sendable, Hashable {
    /// Anything that is not a cellular modem: Ethernet, Wi-Fi, a bridge, a container's virtual link.
    case ethernetOrWiFi
    /// A cellular modem (WWAN).
    case cellular
  }

  /// Why a status is unknown.
  public enum UnknownReason: Sendable, Hashable {
    /// Nobody has looked yet.
    case notDetermined
    /// The kernel's netlink socket is not to be had, as under a seccomp filter; the text says what failed.
    case netlinkUnavailable(String)
    /// There is a route, but whether it leads over a cellular modem cannot be told; the text says why.
    case interfaceKindUnknown(String)
    /// The host's name has no address; the text is the resolver's.
    case hostNotResolved(String)
  }

  /// Whether there is a route over a connection of a known kind.
  public var isReachable: Bool { if case .reachable = self { true } else { false } }
}

extension ReachabilityStatus: CustomStringConvertible {
  /// The status in a few words, with the reason where it is unknown.
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
    case .notDetermined: "nobody has looked yet"
    case .netlinkUnavailable(let text): "no netlink: \(text)"
    case .interfaceKindUnknown(let text): "the interface's kind cannot be told: \(text)"
    case .hostNotResolved(let text): "the host's name has no address: \(text)"
    }
  }
}
