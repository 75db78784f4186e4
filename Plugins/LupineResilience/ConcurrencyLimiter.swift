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
  struct Queue {
    var running = 0
    var waiting = RemovableQueue<Waiter<Void>>()
  }

  /// The queue of one key.
  typealias Entry = PolicyStates<Queue>.Entry

  private enum Admission {
    case running
    case waiting(Waiter<Void>, RemovableQueue<Waiter<Void>>.Place)
    case full
  }

  private let limit: Int
  private let queueLimit: Int
  private let queues: PolicyStates<Queue>

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of concurrent exchanges with one key. Default: 100.
  ///   - queueLimit: the maximum number of waiting exchanges. Default: 1,000.
  ///   - key: the exchanges that share the limit. Default: those with one origin.
  public init(limit: Int = 100, queueLimit: Int = 1_000, key: PolicyKey = .origin) {
    queues = PolicyStates(by: key, isInUse: { $0.running > 0 }) { Queue() }
    self.limit = max(1, limit)
    self.queueLimit = max(0, queueLimit)
  }

  /// The number of running and waiting exchanges with the key of a URL.
  public func load(of url: HTTPURL) -> (running: Int, waiting: Int) { load(of: OutgoingRequest(url: url)) }

  /// The number of running and waiting exchanges with the key of a request.
  public func load(of request: OutgoingRequest) -> (running: Int, waiting: Int) {
    queues.known(of: request)?.state.withLock { ($0.running, $0.waiting.count) } ?? (0, 0)
  }

  /// Returns the queue of a request.
  func queue(of request: OutgoingRequest) -> Entry { queues.entry(of: request) }

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
  func wait(in entry: Entry, _ context: TransferContext) async throws(LupineError) {
    switch admit(entry) {
    case .running: return
    case .full:
      context.emit(
        .decided(policy: "concurrency limiter", reason: "refuses the exchange: the queue of \(entry.key) is full"))
      throw LupineError(
        .concurrencyLimited,
        "\(limit) exchanges with \(entry.key) are running and \(queueLimit) wait; nothing was sent.")
    case .waiting(let waiter, let place):
      context.emit(.decided(policy: "concurrency limiter", reason: "queues the exchange: \(limit) are running"))
      context.onCancel { waiter.cancel() }
      if await waiter.value() != nil { return context.touch() }
      entry.state.withLock { _ = $0.waiting.remove(place) }
      throw context.control.reason ?? LupineError(.cancelled, "The request was cancelled.")
    }
  }

  /// Passes the place to the next waiting exchange.
  func leave(_ entry: Entry) {
    while let next = entry.state.withLock({ $0.leave() }), !next.resume(returning: ()) {}
  }

  /// Takes a place if one is free; `false` if the exchange must wait for one.
  func takePlace(in entry: Entry) -> Bool { entry.state.withLock { $0.takePlace(limit) } }

  private func admit(_ entry: Entry) -> Admission {
    entry.state.withLock { queue in
      if queue.takePlace(limit) { return .running }
      guard queue.waiting.count < queueLimit else { return .full }
      let waiter = Waiter<Void>()
      return .waiting(waiter, queue.waiting.append(waiter))
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

extension ConcurrencyLimiter.Queue {
  /// Takes a place if one is free.
  mutating func takePlace(_ limit: Int) -> Bool {
    guard running < limit else { return false }
    running += 1
    return true
  }

  /// Frees a place, and returns the waiter that gets it; `nil` if no exchange waits.
  mutating func leave() -> Waiter<Void>? {
    if !waiting.isEmpty, let next = waiting.popFirst() { return next }
    running -= 1
    return nil
  }
}

/// Makes each exchange wait for a place, and frees the place when the exchange ends.
struct ConcurrencyLayer: ExchangeLayer {
  let limiter: ConcurrencyLimiter

  @inline(__always)  // Into the witness, as `Benchmarks/README.md` says.
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let queue = limiter.queue(of: request)
    if !limiter.takePlace(in: queue) { try await limiter.wait(in: queue, context) }
    do throws(LupineError) {
      let response = try await next(request, in: context)
      response.body.onEnd { [limiter] _ in limiter.leave(queue) }
      return response
    } catch {
      limiter.leave(queue)
      throw error
    }
  }
}
