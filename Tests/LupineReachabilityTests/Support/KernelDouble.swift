import CNetlink
import LupineCore

@testable import LupineReachability

/// A kernel that answers a `KernelView` from tables that a test writes.
struct KernelDouble {
  var view = KernelView(
    port: 7, classifier: InterfaceClassifier(folder: "/nowhere"), resolverFile: ResolverFile(path: "/nowhere"))
  var links = [Datagram.link(1, "eth0")]
  var addresses = [Datagram.address(1, .sample)]
  var routes = [Datagram.route(interface: 1)]
  /// What comes of each question for a route.
  var answer: (_ sequence: UInt32) -> Datagram = { Datagram().message(RTM_NEWROUTE, sequence: $0, port: 7, []) }
  private(set) var dumped: [KernelTable] = []
  private(set) var paths: [NetworkPath] = []
  private(set) var hostStatuses: [ReachabilityStatus] = []
  private(set) var failures: [NetlinkFailure] = []

  /// Answers until the view asks for nothing more; the first part of each table is sent with these flags.
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

  /// Sends a notice of a change, and answers what comes of it.
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
  /// An address of the networks for documentation (RFC 5737).
  static let sample = literal("192.0.2.2")
  static let sample6 = literal("2001:db8::2")

  private static func literal(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure("\(text) is no address") }
    return address
  }
}
