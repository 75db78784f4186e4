import LupineCore
import Synchronization

/// Conditions of a network that a test sets.
final class FakeNetwork: NetworkConditionsSource {
  private struct State {
    var conditions: NetworkConditions
    var streams: [AsyncStream<NetworkConditions>.Continuation] = []
  }

  private let state: Mutex<State>

  init(_ availability: NetworkConditions.Availability) {
    state = Mutex(State(conditions: NetworkConditions(availability)))
  }

  var conditions: NetworkConditions { state.withLock { $0.conditions } }

  func conditionUpdates() -> AsyncStream<NetworkConditions> {
    let (stream, continuation) = AsyncStream.makeStream(of: NetworkConditions.self)
    let now = state.withLock { state in
      state.streams.append(continuation)
      return state.conditions
    }
    continuation.yield(now)
    return stream
  }

  func set(_ availability: NetworkConditions.Availability) {
    let streams = state.withLock { state in
      state.conditions = NetworkConditions(availability)
      return state.streams
    }
    for stream in streams { stream.yield(NetworkConditions(availability)) }
  }
}
