import FoundationEssentials
import LupineFixtures

/// Datagrams that a kernel sent in a network namespace, recorded by `Fixtures/Netlink/record`.
///
/// A socket with the port 0x1234 requested the dumps, with the sequence numbers 1 to 5 in this order.
enum Recorded {
  static let port: UInt32 = 0x1234

  /// The links of a namespace with `lo`, a bridge and one end of a veth pair.
  static let links = datagrams("links")
  /// The addresses of the namespace.
  static let addresses = datagrams("addresses")
  /// The routes of the namespace: a default route over two gateways, an unreachable route, and one of IPv6.
  static let routes = datagrams("routes")
  /// The response for an address that the default route covers.
  static let routeTo = datagrams("route-to")
  /// The response for an address that the unreachable route covers.
  static let noRoute = datagrams("no-route")
  /// The notifications during the configuration of the veth pair.
  static let notices = datagrams("notices")

  static let all = [links, addresses, routes, routeTo, noRoute, notices].flatMap { $0 }

  /// Reads hexadecimal digits; a full stop ends a datagram.
  private static func datagrams(_ name: String) -> [[UInt8]] {
    let text = (try? String(contentsOf: URL(filePath: Fixture.path("Netlink/\(name).hex")), encoding: .utf8)) ?? ""
    return text.filter { !$0.isWhitespace }.split(separator: ".").map { digits in
      let values = digits.compactMap { $0.hexDigitValue.map(UInt8.init) }
      return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
  }
}
