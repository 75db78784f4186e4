import FoundationEssentials
import LupineFixtures

/// Datagrams that a kernel sent in a network namespace, which `Fixtures/Netlink/record` wrote down byte by byte.
///
/// The dumps were asked for by a socket whose port was 0x1234, with the sequence numbers 1 to 5 in this order.
enum Recorded {
  static let port: UInt32 = 0x1234

  /// The links of a namespace with `lo`, a bridge and one end of a pair.
  static let links = datagrams("links")
  /// Its addresses.
  static let addresses = datagrams("addresses")
  /// Its routes: a default one over two gateways, one that refuses, and one of IPv6.
  static let routes = datagrams("routes")
  /// The answer for an address that the default route leads to.
  static let routeTo = datagrams("route-to")
  /// The answer for an address that a route refuses.
  static let noRoute = datagrams("no-route")
  /// What was told while the pair was set up.
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
