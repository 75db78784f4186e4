import LupineCore
import Synchronization

/// Records the start and the end of each request, the exchanges and hedges by origin, and the redirects.
final class Endings: EventMonitor {
  struct Course: Sendable {
    var started = Duration.zero
    var ends: [Duration] = []
    /// The origin of the exchange that is under way.
    var origin: HTTPURL.Origin?
  }

  private struct State {
    var courses: [RequestID: Course] = [:]
    var exchanges: [HTTPURL.Origin: Int] = [:]
    var hedges: [HTTPURL.Origin: Int] = [:]
    var spentHedges = 0
    var redirects = 0
  }

  private let state = Mutex(State())

  var all: [RequestID: Course] { state.withLock { $0.courses } }
  /// The numbers of exchanges by origin, without hedges.
  var exchanges: [HTTPURL.Origin: Int] { state.withLock { $0.exchanges } }
  var hedges: [HTTPURL.Origin: Int] { state.withLock { $0.hedges } }
  /// The number of hedges that an empty budget prevented.
  var spentHedges: Int { state.withLock { $0.spentHedges } }
  /// The number of redirects that the session followed.
  var redirects: Int { state.withLock { $0.redirects } }

  func receive(_ event: SessionEvent) {
    state.withLock { state in
      switch event.kind {
      case .started: state.courses[event.request, default: Course()].started = event.time
      case .sending(let request, _):
        guard let origin = try? HTTPURL(request.url).origin else { return }
        state.courses[event.request, default: Course()].origin = origin
        state.exchanges[origin, default: 0] += 1
      case .decided(policy: "hedging", reason: let reason):
        guard let origin = state.courses[event.request]?.origin else { return }
        if reason.contains("budget") { state.spentHedges += 1 } else { state.hedges[origin, default: 0] += 1 }
      case .redirected(to: _, isFollowed: true, reason: _): state.redirects += 1
      case .finished: state.courses[event.request, default: Course()].ends.append(event.time)
      default: break
      }
    }
  }
}
