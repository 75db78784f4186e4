public import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Limits the number of concurrent exchanges with each origin, or with each value of another `PolicyKey`; further
/// exchanges wait in a first-in, first-out queue.
///
/// An exchange counts as running until the last byte of its response has been read. If the queue is full as well, an
/// exchange fails at once with kind `concurrencyLimited`. Time in the queue counts towards the timeouts of the request.
/// A cancelled exchange leaves the queue. One limiter may be shared by several sessions.
public final class ConcurrencyLimiter: Plugin {
  private struct KeyQueue {
    var running = 0
    var waiting = RemovableQueue<Waiter<Void>>()
  }

  private enum Admission {
    case running
    case waiting(Waiter<Void>, RemovableQueue<Waiter<Void>>.Place)
    case full
  }

  private let limit: Int
  private let queueLimit: Int
  private let key: PolicyKey
  private let queues = Mutex<[PolicyKey.Value: KeyQueue]>([:])

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of concurrent exchanges with one key. Default: 100.
  ///   - queueLimit: the maximum number of waiting exchanges. Default: 1,000.
  ///   - key: the exchanges that share the limit. Default: those with one origin.
  public init(limit: Int = 100, queueLimit: Int = 1_000, key: PolicyKey = .origin) {
    self.key = key
    self.limit = max(1, limit)
    self.queueLimit = max(0, queueLimit)
  }

  /// The number of running and waiting exchanges with the key of a URL.
  public func load(of url: HTTPURL) -> (running: Int, waiting: Int) { load(of: OutgoingRequest(url: url)) }

  /// The number of running and waiting exchanges with the key of a request.
  public func load(of request: OutgoingRequest) -> (running: Int, waiting: Int) {
    let key = key(of: request)
    return queues.withLock { $0[key].map { ($0.running, $0.waiting.count) } ?? (0, 0) }
  }

  /// Returns the key of a request.
  func key(of request: OutgoingRequest) -> PolicyKey.Value { key.value(for: request) }

  /// Inserts the limiter between the session and its transport, inside hedging and outside the rate limiter.
  public func install(in builder: inout Session.Builder) {
    builder = builder.exchangeLayer(.concurrencyLimit, inside: [.tracing, .cache, .hedging]) {
      ConcurrencyLayer(limiter: self)
    }
  }

  /// Waits for a free place.
  ///
  /// - Throws: `LupineError` of kind `concurrencyLimited` if the queue is full, or the cancellation reason if the
  ///   exchange is cancelled.
  func enter(_ key: PolicyKey.Value, _ context: TransferContext) async throws(LupineError) {
    switch admit(key) {
    case .running: return
    case .full:
      context.emit(
        .decided(policy: "concurrency limiter", reason: "refuses the exchange: the queue of \(key) is full"))
      throw LupineError(
        .concurrencyLimited,
        "\(limit) exchanges with \(key) are running and \(queueLimit) wait; nothing was sent.")
    case .waiting(let waiter, let place):
      context.emit(.decided(policy: "concurrency limiter", reason: "queues the exchange: \(limit) are running"))
      context.onCancel { waiter.cancel() }
      if await waiter.value() != nil { return context.touch() }
      queues.withLock { _ = $0[key]?.waiting.remove(place) }
      throw context.control.reason ?? LupineError(.cancelled, "The request was cancelled.")
    }
  }

  /// Passes the place to the next waiting exchange.
  func leave(_ key: PolicyKey.Value) {
    while let next = nextWaiter(key), !next.resume(returning: ()) {}
  }

  private func admit(_ key: PolicyKey.Value) -> Admission {
    queues.withLock { queues in
      // Changed in place: a copy would copy the waiters.
      if queues[key]?.running ?? 0 < limit {
        queues[key, default: KeyQueue()].running += 1
        return .running
      }
      let waiter = Waiter<Void>()
      guard queues[key]?.waiting.count ?? 0 < queueLimit, let place = queues[key]?.waiting.append(waiter) else {
        return .full
      }
      return .waiting(waiter, place)
    }
  }

  /// Returns the next waiter, which gets the place; `nil` if the queue is empty, and then the place is free.
  private func nextWaiter(_ key: PolicyKey.Value) -> Waiter<Void>? {
    queues.withLock { queues in
      if let next = queues[key]?.waiting.popFirst() { return next }
      queues[key]?.running -= 1
      if queues[key]?.running == 0 { queues[key] = nil }
      return nil
    }
  }
}

extension Plugin where Self == ConcurrencyLimiter {
  /// A concurrency limiter for this session alone; see `ConcurrencyLimiter`.
  public static func concurrencyLimit(
    _ limit: Int, queueLimit: Int = 1_000, key: PolicyKey = .origin
  ) -> ConcurrencyLimiter {
    ConcurrencyLimiter(limit: limit, queueLimit: queueLimit, key: key)
  }
}

/// Makes each exchange wait for a place, and frees the place when the exchange ends.
struct ConcurrencyLayer: ExchangeLayer {
  let limiter: ConcurrencyLimiter

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: @escaping NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let key = limiter.key(of: request)
    try await limiter.enter(key, context)
    do throws(LupineError) {
      let response = try await next(request, context)
      response.body.onEnd { [limiter] _ in limiter.leave(key) }
      return response
    } catch {
      limiter.leave(key)
      throw error
    }
  }
}
