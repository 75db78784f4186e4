import Lupine
import Synchronization

/// How a request uses the cache.
enum CacheMode: RequestOptionKey {
  case normal, bypass

  static var defaultValue: CacheMode { .normal }
}

/// Where a response comes from.
enum CacheStatus: ResponseAttributeKey {
  case origin, stored, stale, bypassed
}

/// Stores responses to GET requests for a short time, and refreshes older ones in the background.
struct BriefCache: Plugin {
  var lifetime = Duration.seconds(1)

  func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.cache, inside: [.tracing]) { [lifetime] in CachingTransport(base: $0, lifetime: lifetime) })
  }
}

final class CachingTransport: Transport {
  private struct State {
    var answers: [String: StoredAnswer] = [:]
    /// The URLs that a background task is refreshing.
    var refreshing: Set<String> = []
  }

  private let base: any Transport
  private let lifetime: Duration
  /// The clock of the first session that uses the cache.
  private let clock = PolicyClock()
  private let state = Mutex(State())

  init(base: any Transport, lifetime: Duration) {
    self.base = base
    self.lifetime = lifetime
  }

  var capabilities: TransportCapabilities { base.capabilities }
  var isVirtual: Bool { base.isVirtual }

  func shutdown() async { await base.shutdown() }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    guard request.method == .get, request.options[CacheMode.self] != .bypass else {
      var response = try await base.send(request, in: context)
      response.attributes[CacheStatus.self] = .bypassed
      return response
    }
    let time = clock.clock(or: context.clock)
    guard let known = state.withLock({ $0.answers[request.url.string] }) else {
      var response = try await base.send(request, in: context)
      store(response, to: request, by: time)
      response.attributes[CacheStatus.self] = .origin
      return response
    }
    guard time.now() - known.time > lifetime else { return try await known.response(.stored, in: context) }
    refresh(request, in: context)
    return try await known.response(.stale, in: context)
  }

  /// Stores a response while it passes to its destination.
  private func store(_ response: TransportResponse, to request: OutgoingRequest, by time: SessionClock) {
    guard response.head.status == .ok else { return }
    let url = request.url.string
    let storing = StoringObserver(head: response.head) { [self] answer in
      var answer = answer
      answer.time = time.now()
      state.withLock { [answer] in $0.answers[url] = answer }
    }
    response.body.tee(into: storing)
  }

  /// Refreshes a stored answer, unless a task does it already.
  private func refresh(_ request: OutgoingRequest, in context: TransferContext) {
    let url = request.url.string
    guard state.withLock({ $0.refreshing.insert(url).inserted }) else { return }
    context.emit(.decided(policy: "brief cache", reason: "refreshes a stored answer in the background"))
    let time = clock.clock(or: context.clock)
    let isStarted = context.startBackgroundTask { [self] task in
      if let response = try? await task.send(request, through: base) {
        store(response, to: request, by: time)
        response.body.open(.discard(limit: task.limits.responseBody))
        _ = try? await response.body.end()
      }
      state.withLock { _ = $0.refreshing.remove(url) }
    }
    if !isStarted { state.withLock { _ = $0.refreshing.remove(url) } }
  }
}
