public import LupineCore

/// A network interface of this machine.
public struct NetworkInterface: Sendable, Hashable {
  /// The kind of an interface's link.
  public enum Kind: Sendable, Hashable {
    /// A wired network card.
    case ethernet
    /// A wireless card (IEEE 802.11).
    case wifi
    /// A cellular modem (WWAN).
    case cellular
    /// A bridge of other interfaces.
    case bridge
    /// A link without hardware of its own, such as a tunnel or a container's end of a veth pair.
    case virtual
    /// The loopback interface.
    case loopback
    /// An unknown kind; the text states the reason.
    case unknown(String)
  }

  /// An address of an interface.
  public struct Address: Sendable, Hashable {
    /// The address.
    public var address: IPAddress
    /// The number of leading bits that identify the network.
    public var prefixLength: Int

    /// Creates an address with a prefix length.
    public init(_ address: IPAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = prefixLength
    }
  }

  /// The kernel's index of the interface, which does not change with the name.
  public var index: Int
  /// The name, such as `eth0`.
  public var name: String
  /// The kind of the link.
  public var kind: Kind
  /// Whether the administrator has enabled the interface.
  public var isUp: Bool
  /// Whether the interface can carry packets: it is up and has a carrier.
  public var isRunning: Bool
  /// The addresses, in a stable order.
  public var addresses: [Address]

  /// Creates an interface.
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
  /// The address and its prefix length, such as `192.0.2.1/24`.
  public var description: String { "\(address)/\(prefixLength)" }
}
