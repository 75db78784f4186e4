import HTTPTypes
import LupineCore
import LupineMock
import LupineReachability
import LupineSession
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct NetworkConditionsTests {
  @Test(arguments: [
    (NetworkPath.ethernet, NetworkConditions(.available)),
    (.cellular, NetworkConditions(.available, isExpensive: true)),
    (.offline, NetworkConditions(.unavailable)),
    (.unknown(.notDetermined), NetworkConditions(.unknown)),
    (.unknown(.interfaceKindUnknown("eth0")), NetworkConditions(.available)),
  ])
  func `a path has conditions`(path: NetworkPath, conditions: NetworkConditions) {
    #expect(path.conditions == conditions)
    #expect(NetworkReachabilityManager(source: ScriptedPath(path)).conditions == conditions)
  }

  @Test func `changes of the conditions are reported, and no other changes of the path`() async {
    let path = ScriptedPath(.ethernet)
    let manager = NetworkReachabilityManager(source: path)
    var updates = manager.conditionUpdates().makeAsyncIterator()
    path.set(.wifi)
    path.set(.offline)
    path.set(.cellular)
    #expect(await updates.next() == NetworkConditions(.available))
    #expect(await updates.next() == NetworkConditions(.unavailable))
    #expect(await updates.next() == NetworkConditions(.available, isExpensive: true))
  }

  @Test func `a wait ends when the network is available, and the watch ends with it`() async {
    let path = ScriptedPath(.offline)
    let clock = TestClock()
    let manager = NetworkReachabilityManager(source: path)
    async let isBack = manager.waitUntilAvailable(within: .seconds(5), on: clock)
    await path.waitForWatchers()
    path.set(.wifi)
    #expect(await isBack)
    #expect(path.watcherCount == 0)
  }

  @Test func `a wait ends at its limit, and with its task`() async {
    let path = ScriptedPath(.offline)
    let manager = NetworkReachabilityManager(source: path)
    #expect(await !manager.waitUntilAvailable(within: .seconds(5), on: ImmediateClock()))
    let task = Task { await manager.waitUntilAvailable(within: .seconds(5), on: TestClock()) }
    await path.waitForWatchers()
    task.cancel()
    #expect(await !task.value)
  }

  @Test func `a retrier waits for the network of any source`() async throws {
    let network = SettableConditions(NetworkConditions(.unavailable))
    let attempt = AttemptOutcome(
      request: try OutgoingRequest("https://example.com/"), number: 1, response: nil,
      error: LupineError(.networkUnreachable, "It failed."), clock: TestClock())
    async let decision = OfflineRetrier(network: network).decision(for: attempt)
    await network.waitForReader()
    network.set(NetworkConditions(.available))
    guard case .retry = await decision else {
      Issue.record("The retrier did not retry.")
      return
    }
  }
}

/// A source whose conditions the test sets.
private final class SettableConditions: NetworkConditionsSource {
  private struct State {
    var conditions: NetworkConditions
    var reader: AsyncStream<NetworkConditions>.Continuation?
  }

  private let state: Mutex<State>
  private let (read, hasReader) = AsyncStream.makeStream(of: Void.self)

  init(_ conditions: NetworkConditions) { state = Mutex(State(conditions: conditions)) }

  var conditions: NetworkConditions { state.withLock { $0.conditions } }

  func conditionUpdates() -> AsyncStream<NetworkConditions> {
    let (stream, reader) = AsyncStream.makeStream(of: NetworkConditions.self)
    state.withLock { state in
      reader.yield(state.conditions)
      state.reader = reader
    }
    hasReader.finish()
    return stream
  }

  func set(_ conditions: NetworkConditions) {
    state.withLock { state in
      state.conditions = conditions
      state.reader?.yield(conditions)
    }
  }

  /// Waits until a caller has requested the updates.
  func waitForReader() async { for await _ in read {} }
}
