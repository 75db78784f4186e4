import LupineMock
import LupineReachability
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScriptedPathTests {
  @Test func `each watcher receives the network and each change of it, once and in order`() async {
    let path = ScriptedPath(.offline)
    let told = Mutex<[NetworkPath]>([])
    let watch = path.watch(nil) { path in told.withLock { $0.append(path) } }
    path.set(.wifi)
    path.set(.wifi)
    path.set(.cellular)
    watch.cancel()
    path.set(.offline)
    #expect(told.withLock { $0 } == [.offline, .wifi, .cellular])
  }

  @Test func `a handler may change the network`() async {
    let path = ScriptedPath(.offline)
    let told = Mutex<[NetworkPath]>([])
    let watch = path.watch(nil) { seen in
      told.withLock { $0.append(seen) }
      if seen == .offline { path.set(.ethernet) }
    }
    #expect(told.withLock { $0 } == [.offline, .ethernet])
    watch.cancel()
  }

  @Test func `a host may have a way of its own`() async {
    let path = ScriptedPath(.ethernet)
    path.set(.offline, to: "example.com")
    #expect(path.currentPath(to: "example.com") == .offline)
    #expect(path.currentPath(to: "example.org") == .ethernet)
    #expect(path.currentPath(to: nil) == .ethernet)
  }

  @Test func `steps are played on the clock`() async throws {
    let path = ScriptedPath(.ethernet)
    let clock = TestClock()
    var statuses = NetworkReachabilityManager(source: path).statuses.makeAsyncIterator()
    #expect(await statuses.next() == .reachable(.ethernetOrWiFi))
    async let play: Void = path.play([.after(.seconds(2), .offline), .after(.seconds(3), .cellular)], on: clock)
    await clock.run()
    #expect(await statuses.next() == .notReachable)
    #expect(clock.now.offset == .seconds(2))
    await clock.run()
    #expect(await statuses.next() == .reachable(.cellular))
    #expect(clock.now.offset == .seconds(5))
    try await play
  }

  @Test func `a long script takes no time`() async throws {
    let path = ScriptedPath(.ethernet)
    let clock = ImmediateClock()
    try await path.play(
      (0..<1000).map { .after(.seconds(3600), $0.isMultiple(of: 2) ? .offline : .ethernet) }, on: clock)
    #expect(clock.now.offset == .seconds(3_600_000))
    #expect(path.currentPath(to: nil) == .ethernet)
  }
}
