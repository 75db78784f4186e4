import LupineCore
import Synchronization
import Testing

@testable import LupineReachability

/// The reachability of one host, as a real kernel reports it.
@Suite(.namespaces, .timeLimit(.minutes(1))) struct HostTests {
  @Test func `a host on the link needs no default route`() async throws {
    let network = try TestNetwork()
    try network.ip("route", "delete", "default")
    let manager = NetworkReachabilityManager(host: TestNetwork.gateway, source: network.source)
    #expect(manager.status == .reachable(.ethernetOrWiFi))
    #expect(NetworkReachabilityManager(source: network.source).status == .notReachable)
  }

  @Test func `a host behind a route that comes and goes`() async throws {
    let network = try TestNetwork()
    try network.ip("route", "delete", "default")
    let manager = NetworkReachabilityManager(host: "192.0.2.77", source: network.source)
    #expect(manager.status == .notReachable)
    var statuses = manager.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .notReachable)
    try network.ip("route", "add", "192.0.2.0/24", "via", TestNetwork.gateway)
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.ip("route", "add", "unreachable", "192.0.2.77/32")
    #expect(await statuses.next() == .notReachable)
    try network.ip("route", "delete", "unreachable", "192.0.2.77/32")
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.ip("link", "set", "up0", "down")
    #expect(await statuses.next() == .notReachable)
  }

  @Test func `a host of IPv6`() async throws {
    let network = try TestNetwork(hasAddresses: false)
    try network.ip("address", "add", "fd00:99::2/64", "dev", "up0", "nodad")
    var statuses = NetworkReachabilityManager(host: "fd00:99::1", source: network.source).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.ip("-6", "address", "delete", "fd00:99::2/64", "dev", "up0")
    #expect(await statuses.next() == .notReachable)
  }

  @Test func `a name is resolved, and again when the network has changed`() async throws {
    let network = try TestNetwork()
    let names = Names(.failure("no name server answers"))
    let manager = NetworkReachabilityManager(host: "example.com", source: names.source(network))
    var statuses = manager.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .unknown(.hostNotResolved("no name server answers")))
    names.set(.addresses([.sample]))
    try network.ip("address", "add", "10.99.3.3/32", "dev", "up0")
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    names.set(.failure("no name server answers"))
    try network.ip("route", "delete", "default")
    #expect(await statuses.next() == .notReachable)
  }

  @Test func `a host that does not resolve is unknown with the resolver's reason`() async throws {
    let network = try TestNetwork(hasAddresses: false)
    let manager = NetworkReachabilityManager(host: "no-such-host.invalid", source: network.source)
    #expect(manager.status == .unknown(.notDetermined))
    let status = await manager.currentStatus()
    guard case .unknown(.hostNotResolved(let reason)) = status else {
      Issue.record("\(status)")
      return
    }
    #expect(!reason.isEmpty)
  }
}

/// A resolver whose answer the test sets.
private final class Names: Sendable {
  private let answer: Mutex<HostResolver.Answer>

  init(_ answer: HostResolver.Answer) { self.answer = Mutex(answer) }

  func set(_ answer: HostResolver.Answer) { self.answer.withLock { $0 = answer } }

  func source(_ network: TestNetwork) -> KernelPath {
    KernelPath(
      namespace: NetworkNamespace(path: "/run/netns/\(network.near)"),
      resolve: { [self] _ in answer.withLock { $0 } })
  }
}
