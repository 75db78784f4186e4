public import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Limits the number of concurrent exchanges with each origin; further exchanges wait in a first-in, first-out queue.
///
/// An exchange counts as running until the last byte of its response has been read. If the queue is full as well, an
/// exchange fails at once with kind `concurrencyLimited`. Time in the queue counts towards the timeouts of the request.
/// A cancelled exchange leaves the queue. One limiter may be shared by several sessions.
public final class ConcurrencyLimiter: Plugin {
  private struct OriginQueue {
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
  private let queues = Mutex<[HTTPURL.Origin: OriginQueue]>([:])

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of concurrent exchanges with one origin. Default: 100.
  ///   - queueLimit: the maximum number of waiting exchanges. Default: 1,000.
  public init(limit: Int = 100, queueLimit: Int = 1_000) {
    self.limit = max(1, limit)
    self.queueLimit = max(0, queueLimit)
  }

  /// The number of running and waiting exchanges with a URL's origin.
  public func load(of url: HTTPURL) -> (running: Int, waiting: Int) {
    queues.withLock { $0[url.origin].map { ($0.running, $0.waiting.count) } ?? (0, 0) }
  }

  /// Inserts the limiter between the session and its transport, inside hedging and outside the rate limiter.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.concurrencyLimit, inside: [.tracing, .cache, .hedging]) {
        ConcurrencyLayer(base: $0, limiter: self)
      })
  }

  /// Waits for a free place.
  ///
  /// - Throws: `LupineError` of kind `concurrencyLimited` if the queue is full, or the cancellation reason if the
  ///   exchange is cancelled.
  func enter(_ origin: HTTPURL.Origin, _ context: TransferContext) async throws(LupineError) {
    switch admit(origin) {
    case .running: return
    case .full:
      context.emit(
        .decided(policy: "concurrency limiter", reason: "refuses the exchange: the queue of \(origin) is full"))
      throw LupineError(
        .concurrencyLimited,
        "\(limit) exchanges with \(origin) are running and \(queueLimit) wait; nothing was sent.")
    case .waiting(let waiter, let place):
      context.emit(.decided(policy: "concurrency limiter", reason: "queues the exchange: \(limit) are running"))
      context.onCancel { waiter.cancel() }
      if await waiter.value() != nil { return context.touch() }
      queues.withLock { _ = $0[origin]?.waiting.remove(place) }
      throw context.control.reason ?? LupineError(.cancelled, "The request was cancelled.")
    }
  }

  /// Passes the place to the next waiting exchange.
  func leave(_ origin: HTTPURL.Origin) {
    while let next = nextWaiter(origin), !next.resume(returning: ()) {}
  }

  private func admit(_ origin: HTTPURL.Origin) -> Admission {
    queues.withLock { queues in
      // Changed in place: a copy would copy the waiters.
      if queues[origin]?.running ?? 0 < limit {
        queues[origin, default: OriginQueue()].running += 1
        return .running
      }
      let waiter = Waiter<Void>()
      guard queues[origin]?.waiting.count ?? 0 < queueLimit, let place = queues[origin]?.waiting.append(waiter) else {
        return .full
      }
      return .waiting(waiter, place)
    }
  }

  /// Returns the next waiter, which gets the place; `nil` if the queue is empty, and then the place is free.
  private func nextWaiter(_ origin: HTTPURL.Origin) -> Waiter<Void>? {
    queues.withLock { queues in
      if let next = queues[origin]?.waiting.popFirst() { return next }
      queues[origin]?.running -= 1
      if queues[origin]?.running == 0 { queues[origin] = nil }
      return nil
    }
  }
}

extension Plugin where Self == ConcurrencyLimiter {
  /// A concurrency limiter for this session alone; see `ConcurrencyLimiter`.
  public static func concurrencyLimit(_ limit: Int, queueLimit: Int = 1_000) -> ConcurrencyLimiter {
    ConcurrencyLimiter(limit: limit, queueLimit: queueLimit)
  }
}

/// Makes each exchange wait for a place, and frees the place when the exchange ends.
struct ConcurrencyLayer: Transport {
  let base: any Transport
  let limiter: ConcurrencyLimiter

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let origin = request.url.origin
    try await limiter.enter(origin, context)
    do throws(LupineError) {
      let response = try await base.send(request, in: context)
      response.body.onEnd { [limiter] _ in limiter.leave(origin) }
      return response
    } catch {
      limiter.leave(origin)
      throw error
    }
  }

  func shutdown() async { await base.shutdown() }
}
