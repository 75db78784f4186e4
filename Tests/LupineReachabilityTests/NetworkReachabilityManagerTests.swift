import Dispatch
import LupineCore
@testable import LupineMock
import LupineReachability
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct NetworkReachabilityManagerTests {
  @Test func `the status can be asked for without listening`() {
    let path = ScriptedPath(.cellular)
    let manager = NetworkReachabilityManager(source: path)
    #expect(manager.status == .reachable(.cellular))
    #expect(manager.isReachable && manager.isReachableOnCellular && !manager.isReachableOnEthernetOrWiFi)
    path.set(.offline)
    #expect(manager.status == .notReachable && !manager.isReachable)
    #expect(path.watcherCount == 0)
  }

  @Test func `a change of the path without a change of the status is reported as a path alone`() async {
    let path = ScriptedPath(.ethernet)
    let manager = NetworkReachabilityManager(source: path)
    var statuses = manager.statuses.makeAsyncIterator()
    var paths = manager.paths.makeAsyncIterator()
    path.set(.wifi)
    path.set(.offline)
    #expect([await statuses.next(), await statuses.next()] == [.reachable(.ethernetOrWiFi), .notReachable])
    #expect([await paths.next(), await paths.next(), await paths.next()] == [.ethernet, .wifi, .offline])
  }

  @Test func `many listeners share one watch, and the last one ends it`() async {
    let path = ScriptedPath(.ethernet)
    let manager = NetworkReachabilityManager(source: path)
    do {
      var first = manager.statuses.makeAsyncIterator()
      var second = manager.statuses.makeAsyncIterator()
      #expect(await first.next() == .reachable(.ethernetOrWiFi))
      #expect(await second.next() == .reachable(.ethernetOrWiFi))
      #expect(path.watcherCount == 1)
    }
    #expect(path.watcherCount == 0)
  }

  @Test(arguments: [true, false])
  func `a listener receives the status and its changes in order, until it is stopped`(usesQueue: Bool) async {
    let path = ScriptedPath(.offline)
    let manager = NetworkReachabilityManager(source: path)
    let (heard, continuation) = AsyncStream<ReachabilityStatus>.makeStream()
    manager.startListening(onQueue: usesQueue ? DispatchQueue(label: "listener") : nil) { continuation.yield($0) }
    path.set(.ethernet)
    path.set(.cellular)
    var iterator = heard.makeAsyncIterator()
    #expect(await iterator.next() == .notReachable)
    #expect(await iterator.next() == .reachable(.ethernetOrWiFi))
    #expect(await iterator.next() == .reachable(.cellular))
    manager.stopListening()
    #expect(path.watcherCount == 0)
  }

  @Test func `a released manager stops listening`() {
    let path = ScriptedPath(.offline)
    do {
      let manager = NetworkReachabilityManager(source: path)
      manager.startListening { _ in }
      #expect(path.watcherCount == 1)
    }
    #expect(path.watcherCount == 0)
  }

  @Test func `a sequence outlives its manager`() async {
    let path = ScriptedPath(.offline)
    var statuses = NetworkReachabilityManager(source: path).statuses.makeAsyncIterator()
    path.set(.ethernet)
    #expect(await statuses.next() == .notReachable)
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
  }

  @Test func `with a debounce a change is reported when it has held`() async {
    let path = ScriptedPath(.ethernet)
    let clock = TestClock()
    let manager = NetworkReachabilityManager(source: path, debounce: .seconds(1), clock: clock)
    var statuses = manager.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    path.set(.offline)
    clock.advance(by: .milliseconds(999))
    #expect(manager.status == .reachable(.ethernetOrWiFi))
    path.set(.ethernet)
    clock.advance(by: .seconds(9))
    path.set(.offline)
    path.set(.cellular)
    clock.advance(by: .milliseconds(1))
    #expect(manager.status == .reachable(.ethernetOrWiFi))
    clock.advance(by: .milliseconds(999))
    #expect(await statuses.next() == .reachable(.cellular))
  }

  @Test func `with a clock that fires at once a change is reported at once`() async {
    let path = ScriptedPath(.ethernet)
    let manager = NetworkReachabilityManager(source: path, debounce: .seconds(1), clock: EagerClock())
    var statuses = manager.statuses.makeAsyncIterator()
    path.set(.offline)
    path.set(.cellular)
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    #expect(await statuses.next() == .notReachable)
    #expect(await statuses.next() == .reachable(.cellular))
  }

  @Test func `a host is watched by its own way`() async {
    let path = ScriptedPath(.offline)
    path.set(.ethernet, to: "example.com")
    let manager = NetworkReachabilityManager(host: "example.com", source: path)
    #expect(await manager.currentStatus() == .reachable(.ethernetOrWiFi))
    #expect(manager.host == "example.com")
  }

  @Test func `a status has its reason as text`() {
    #expect(ReachabilityStatus.unknown(.hostNotResolved("no such name")).description.contains("no such name"))
    #expect(ReachabilityStatus.notReachable.description == "not reachable")
  }
}
