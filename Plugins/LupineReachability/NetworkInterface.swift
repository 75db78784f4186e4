public import LupineCore

/// A network interface of this machine.
public struct NetworkInterface: Sendable, Hashable {
  /// What kind of link an interface is.
  public enum Kind: Sendable, Hashable {
    /// A wired card.
    case ethernet
    /// A wireless card (IEEE 802.11).
    case wifi
    /// A cellular modem (WWAN).
    case cellular
    /// A bridge of other interfaces.
    case bridge
    /// A link without hardware of its own, such as a tunnel or a container's end of a pair.
    case virtual
    /// The machine itself.
    case loopback
    /// None that could be told; the text says why.
    case unknown(String)
  }

  /// An address of an interface.
  public struct Address: Sendable, Hashable {
    /// The address.
    public var address: IPAddress
    /// How many leading bits name the network.
    public var prefixLength: Int

    /// Joins an address and its prefix.
    public init(_ address: IPAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = prefixLength
    }
  }

  /// The kernel's number for it, which a renamed interface keeps.
  public var index: Int
  /// Its name, such as `eth0`.
  public var name: String
  /// What kind of link it is.
  public var kind: Kind
  /// Whether it was set up by the administrator.
  public var isUp: Bool
  /// Whether it can carry packets: it is up, and there is a signal on the wire.
  public var isRunning: Bool
  /// Its addresses, in a stable order.
  public var addresses: [Address]

  /// Describes an interface.
  public init(
    index: Int, name: String, kind: Kind, isUp: Bool = true, isRunning: Bool = true, addresses: [Address] = []
  ) {
    self.index = index
    self.name = name
    self.kind = kind
    self.isUp = isUp
    self.isRunning = isRunning
    self.addresses = addresses
  }
}

extension NetworkInterface.Address: CustomStringConvertible {
  /// The address and the length of its prefix, as in `192.0.2.1/24`.
  public var description: String { "\(address)/\(prefixLength)" }
}
