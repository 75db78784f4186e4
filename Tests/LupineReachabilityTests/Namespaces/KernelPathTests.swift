import LupineCore
import Testing

@testable import LupineReachability

/// The reports of a real kernel about real changes of the network.
///
/// Every test waits for reports, and fails at its time limit if a report does not arrive.
@Suite(.namespaces, .timeLimit(.minutes(1))) struct KernelPathTests {
  @Test func `a link that goes down and up again`() async throws {
    let network = try TestNetwork()
    var statuses = NetworkReachabilityManager(source: network.source).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.ip("link", "set", "up0", "down")
    #expect(await statuses.next() == .notReachable)
    try network.ip("link", "set", "up0", "up")
    try network.ip("route", "add", "default", "via", TestNetwork.gateway)
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
  }

  @Test func `the other end of the wire is pulled`() async throws {
    let network = try TestNetwork()
    var statuses = NetworkReachabilityManager(source: network.source).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.farIP("link", "set", "up1", "down")
    #expect(await statuses.next() == .notReachable)
    try network.farIP("link", "set", "up1", "up")
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
  }

  @Test func `an address that is removed`() async throws {
    let network = try TestNetwork()
    var statuses = NetworkReachabilityManager(source: network.source).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.ip("address", "delete", "10.99.0.2/24", "dev", "up0")
    #expect(await statuses.next() == .notReachable)
  }

  @Test func `a default route that is withdrawn and comes back`() async throws {
    let network = try TestNetwork()
    var statuses = NetworkReachabilityManager(source: network.source).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    try network.ip("route", "delete", "default")
    #expect(await statuses.next() == .notReachable)
    try network.ip("route", "add", "default", "via", TestNetwork.gateway)
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
  }

  @Test func `IPv6 alone`() async throws {
    let network = try TestNetwork(hasAddresses: false)
    var statuses = NetworkReachabilityManager(source: network.source).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .notReachable)
    try network.ip("address", "add", "fd00:99::2/64", "dev", "up0", "nodad")
    try network.ip("-6", "route", "add", "default", "via", "fd00:99::1", "dev", "up0")
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    let path = NetworkReachabilityManager(source: network.source).path
    #expect(path.supportsIPv6 && !path.supportsIPv4)
    try network.ip("-6", "route", "delete", "default")
    #expect(await statuses.next() == .notReachable)
  }

  @Test func `two uplinks of which one is lost, and then the other`() async throws {
    let network = try TestNetwork()
    try network.connect("up2", "up3")
    try network.ip("address", "add", "10.98.0.2/24", "dev", "up2")
    try network.ip("route", "add", "default", "via", "10.98.0.1", "metric", "200")
    let manager = NetworkReachabilityManager(source: network.source)
    var statuses = manager.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    #expect(manager.path.defaultRoutes.map(\.metric) == [0, 200])
    try network.ip("link", "set", "up0", "down")
    try await wait(manager) { $0.defaultRoutes.map(\.metric) == [200] }
    try network.ip("link", "set", "up2", "down")
    // The loss of the first uplink did not change the status, so the next report is that of the second one.
    #expect(await statuses.next() == .notReachable)
  }

  @Test func `a thousand changes in a burst end in the right state`() async throws {
    let network = try TestNetwork()
    let manager = NetworkReachabilityManager(source: network.source)
    var statuses = manager.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    let change = [
      "route delete default", "route add default via \(TestNetwork.gateway)", "address add 10.99.1.1/32 dev lo",
      "address delete 10.99.1.1/32 dev lo",
    ]
    try network.ip(batch: (0..<250).flatMap { _ in change } + ["address add 10.99.2.2/32 dev lo", "link set lo up"])
    try await wait(manager) { $0.interfaces.first?.addresses.contains { "\($0)" == "10.99.2.2/32" } == true }
    #expect(manager.status == .reachable(.ethernetOrWiFi))
    try network.ip("link", "set", "up0", "down")
    var last: ReachabilityStatus?
    // Each report differs from the previous one, and the last one has the final status.
    while let status = await statuses.next() {
      #expect(status != last)
      last = status
      if status == .notReachable, manager.path.defaultRoutes.isEmpty, manager.path.interfaces.count == 1 { break }
    }
  }

  @Test func `messages that were lost do not leave a wrong state`() async throws {
    let network = try TestNetwork()
    let (paths, continuation) = AsyncStream<NetworkPath>.makeStream()
    // Blocks the thread that reads the socket in its first report, until the socket's buffer overflows.
    let held = HeldReport()
    let watch = network.source.watch(nil) { path in
      held.pass()
      continuation.yield(path)
    }
    defer { watch.cancel() }
    await held.waitUntilHeld()
    let change = ["address add 10.99.1.1/32 dev up0", "address delete 10.99.1.1/32 dev up0"]
    try network.ip(batch: (0..<3000).flatMap { _ in change } + ["route delete default"])
    held.release()
    for await path in paths where path.status == .notReachable { break }
    try network.ip("route", "add", "default", "via", TestNetwork.gateway)
    for await path in paths where path.status == .reachable(.ethernetOrWiFi) { break }
  }

  @Test func `an interface that is renamed`() async throws {
    let network = try TestNetwork()
    let manager = NetworkReachabilityManager(source: network.source)
    try network.ip("link", "set", "up0", "down")
    try network.ip("link", "set", "up0", "name", "other")
    try network.ip("link", "set", "other", "up")
    try await wait(manager) { $0.interfaces.map(\.name) == ["other"] }
    try network.ip("route", "add", "default", "via", TestNetwork.gateway)
    try await wait(manager) { $0.status == .reachable(.ethernetOrWiFi) && $0.interfaces.map(\.kind) == [.virtual] }
  }

  @Test func `several managers share one socket, and the last listener closes it`() async throws {
    let network = try TestNetwork()
    let managers = (0..<3).map { _ in NetworkReachabilityManager(source: network.source) }
    do {
      var iterators = managers.map { $0.statuses.makeAsyncIterator() }
      for index in iterators.indices { #expect(await iterators[index].next() == .reachable(.ethernetOrWiFi)) }
      #expect(network.source.socketCount == 1)
      iterators.removeFirst()
      #expect(network.source.socketCount == 1)
    }
    await network.source.waitForEnd()
    #expect(network.source.socketCount == 0)
    var again = managers[0].statuses.makeAsyncIterator()
    #expect(await again.next() == .reachable(.ethernetOrWiFi))
  }

  @Test func `the status is asked for without a socket that stays`() throws {
    let network = try TestNetwork()
    let manager = NetworkReachabilityManager(source: network.source)
    #expect(manager.status == .reachable(.ethernetOrWiFi))
    #expect(manager.path.defaultRoutes.first?.gateway?.description == TestNetwork.gateway)
    try network.ip("link", "set", "up0", "down")
    #expect(manager.status == .notReachable)
    #expect(network.source.socketCount == 0)
  }

  @Test func `a namespace that is not there is unknown with the reason`() async {
    let source = KernelPath(namespace: NetworkNamespace(path: "/run/netns/lupine-nobody"))
    let status = await NetworkReachabilityManager(source: source).currentStatus()
    guard case .unknown(.netlinkUnavailable(let reason)) = status else {
      Issue.record("\(status)")
      return
    }
    #expect(reason.contains("lupine-nobody") && reason.contains("No such file"))
    #expect(NetworkReachabilityManager(source: source).status == status)
  }
}

extension KernelPathTests {
  /// Waits for a report that meets the condition.
  private func wait(_ manager: NetworkReachabilityManager, for condition: (NetworkPath) -> Bool) async throws {
    for await path in manager.paths where condition(path) { return }
  }
}
