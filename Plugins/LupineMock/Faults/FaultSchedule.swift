import LupineCore
import LupineDoubles
import Synchronization

/// The faults of a simulation's exchanges: a list, or drawn from a mix.
final class FaultSchedule: Sendable {
  private enum Source {
    case list([Int: [InjectedFault]])
    case mix(FaultMix, seed: UInt64)
  }

  private struct State {
    var exchanges = 0
    var injected: [InjectedFault] = []
  }

  private let source: Source
  private let state = Mutex(State())

  init(_ faults: [InjectedFault]) { source = .list(Dictionary(grouping: faults, by: \.exchange)) }

  init(_ mix: FaultMix, seed: UInt64) { source = .mix(mix, seed: seed) }

  /// The faults that have been injected.
  var injected: [InjectedFault] { state.withLock { $0.injected } }

  /// Counts an exchange with this request, and returns its events.
  func next(_ request: OutgoingRequest) -> FaultInjection {
    state.withLock { state in
      state.exchanges += 1
      let faults =
        switch source {
        case .list(let faults): faults[state.exchanges] ?? []
        case .mix(let mix, let seed): mix.draw(seed: seed, exchange: state.exchanges, request)
        }
      state.injected += faults
      return FaultInjection(exchange: state.exchanges, actions: faults.map(\.action))
    }
  }
}

/// The events that are injected into one exchange.
struct FaultInjection: Sendable {
  let exchange: Int
  var delay = Duration.zero
  var fault: NetworkFault?
  var cancellation: Duration?

  init(exchange: Int, actions: [InjectedFault.Action]) {
    self.exchange = exchange
    for action in actions {
      switch action {
      case .fault(let fault): self.fault = fault
      case .delay(let duration): delay += duration
      case .cancel(let duration): cancellation = duration
      }
    }
  }
}
