import Lupine
import LupineMock
import Synchronization

/// A network whose conditions the program sets.
final class OwnConditions: NetworkConditionsSource {
  private struct State {
    var conditions: NetworkConditions
    var readers: [AsyncStream<NetworkConditions>.Continuation] = []
  }

  private let state: Mutex<State>
  private let reads = AsyncStream.makeStream(of: Void.self)

  init(_ conditions: NetworkConditions) { state = Mutex(State(conditions: conditions)) }

  var conditions: NetworkConditions { state.withLock { $0.conditions } }

  func conditionUpdates() -> AsyncStream<NetworkConditions> {
    let (stream, reader) = AsyncStream.makeStream(of: NetworkConditions.self)
    state.withLock { state in
      reader.yield(state.conditions)
      state.readers.append(reader)
    }
    reads.continuation.yield()
    return stream
  }

  /// Waits until a caller has requested the updates once more.
  func waitForReader() async {
    for await _ in reads.stream { break }
  }

  func set(_ conditions: NetworkConditions) {
    state.withLock { state in
      state.conditions = conditions
      for reader in state.readers { reader.yield(conditions) }
    }
  }
}

struct PatientUploads: RequestAdapter {
  let network: any NetworkConditionsSource

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard request.method == .put else { return request }
    for await conditions in network.conditionUpdates() where !conditions.isExpensive { break }
    return request
  }
}

extension OwnParts {
  /// Checks that an upload waits for an inexpensive network, and that a wait ends with a network or at its limit.
  static func checkNetwork() async throws {
    let network = OwnConditions(NetworkConditions(.available, isExpensive: true))
    let mock = MockTransport()
    mock.stub(.put, "https://example.com/flowers", .status(.created))
    let session = try Session.Builder().transport(mock).adapter(PatientUploads(network: network))
      .retrier(OfflineRetrier(network: network)).build()
    async let upload = session.request("https://example.com/flowers", method: .put).serializingData().response
    await network.waitForReader()
    guard mock.requests.isEmpty else { throw Surprise(what: "the upload did not wait") }
    network.set(NetworkConditions(.unavailable))
    guard await upload.response?.status == .created else { throw Surprise(what: "the upload failed") }
    async let isBack = network.waitUntilAvailable(within: .seconds(5), on: TestClock())
    await network.waitForReader()
    network.set(NetworkConditions(.available))
    guard await isBack else { throw Surprise(what: "the wait did not end with the network's return") }
    network.set(NetworkConditions(.unavailable))
    guard await !network.waitUntilAvailable(within: .seconds(5), on: ImmediateClock()) else {
      throw Surprise(what: "the wait did not end at its limit")
    }
    await session.shutdown()
  }
}
