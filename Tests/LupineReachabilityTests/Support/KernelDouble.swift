import CNetlink
import LupineCore

@testable import LupineReachability

/// A substitute for the kernel, which answers a `KernelView` from tables of the test.
struct KernelDouble {
  var view = KernelView(
    port: 7, classifier: InterfaceClassifier(folder: "/nowhere"), resolverFile: ResolverFile(path: "/nowhere"))
  var links = [Datagram.link(1, "eth0")]
  var addresses = [Datagram.address(1, .sample)]
  var routes = [Datagram.route(interface: 1)]
  /// The response to each request for a route (RTM_GETROUTE).
  var answer: (_ sequence: UInt32) -> Datagram = { Datagram().message(RTM_NEWROUTE, sequence: $0, port: 7, []) }
  private(set) var dumped: [KernelTable] = []
  private(set) var paths: [NetworkPath] = []
  private(set) var hostStatuses: [ReachabilityStatus] = []
  private(set) var failures: [NetlinkFailure] = []

  /// Answers the requests of the view until there are none left; only the first dump has these flags.
  mutating func run(flags: Int32 = NLM_F_MULTI) {
    var flags = flags
    while case let outputs = view.settle(), !outputs.isEmpty {
      for output in outputs {
        switch output {
        case .send(.dump(let table), let sequence):
          dumped.append(table)
          receive(part(table, sequence, flags))
          flags = NLM_F_MULTI
        case .send(_, let sequence): receive(answer(sequence))
        case .path(let path): paths.append(path)
        case .hostPath(_, let path): hostStatuses.append(path.status)
        case .failed(let failure): failures.append(failure)
        }
      }
    }
  }

  /// Sends a notification of a change, and answers the requests that result.
  mutating func notify(_ type: Int, _ content: [UInt8]) {
    receive(Datagram().message(type, content))
    run()
  }

  mutating func receive(_ datagram: Datagram) { datagram.bytes.withUnsafeBytes { view.receive($0) } }

  mutating func forgetDumps() { dumped = [] }

  private func part(_ table: KernelTable, _ sequence: UInt32, _ flags: Int32) -> Datagram {
    let (type, contents) =
      switch table {
      case .links: (RTM_NEWLINK, links)
      case .addresses: (RTM_NEWADDR, addresses)
      case .routes: (RTM_NEWROUTE, routes)
      }
    let all = contents.reduce(Datagram()) { $0.message(type, flags: flags, sequence: sequence, port: 7, $1) }
    return all.message(Int(NLMSG_DONE), flags: flags, sequence: sequence, port: 7, Datagram.number(0))
  }
}

extension IPAddress {
  /// An address of the networks that are reserved for documentation (RFC 5737).
  static let sample = literal("192.0.2.2")
  static let sample6 = literal("2001:db8::2")

  private static func literal(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure("\(text) is no address") }
    return address
  }
}
