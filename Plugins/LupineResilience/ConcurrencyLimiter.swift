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
  private struct Line {
    var running = 0
    var waiting: [Waiter<Void>] = []
  }

  private enum Place {
    case running
    case waiting(Waiter<Void>)
    case full
  }

  private let limit: Int
  private let queueLimit: Int
  private let lines = Mutex<[HTTPURL.Origin: Line]>([:])

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
    lines.withLock { $0[url.origin].map { ($0.running, $0.waiting.count) } ?? (0, 0) }
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
    switch take(origin) {
    case .running: return
    case .full:
      context.emit(
        .decided(policy: "concurrency limiter", reason: "refuses the exchange: the line of \(origin) is full"))
      throw LupineError(
        .concurrencyLimited,
        "\(limit) exchanges with \(origin) are under way and \(queueLimit) wait; nothing was sent.")
    case .waiting(let waiter):
      context.emit(.decided(policy: "concurrency limiter", reason: "has the exchange wait: \(limit) are under way"))
      context.onCancel { waiter.cancel() }
      if await waiter.value() != nil { return context.touch() }
      lines.withLock { $0[origin]?.waiting.removeAll { $0 === waiter } }
      throw context.control.reason ?? LupineError(.cancelled, "The request was cancelled.")
    }
  }

  /// Passes the place to the next waiting exchange.
  func leave(_ origin: HTTPURL.Origin) {
    while let next = takeNext(origin), !next.resume(returning: ()) {}
  }

  private func take(_ origin: HTTPURL.Origin) -> Place {
    lines.withLock { lines in
      var line = lines[origin] ?? Line()
      defer { lines[origin] = line }
      if line.running < limit {
        line.running += 1
        return .running
      }
      guard line.waiting.count < queueLimit else { return .full }
      let waiter = Waiter<Void>()
      line.waiting.append(waiter)
      return .waiting(waiter)
    }
  }

  /// Returns the next waiter, which gets the place; `nil` if the queue is empty, and then the place is free.
  private func takeNext(_ origin: HTTPURL.Origin) -> Waiter<Void>? {
    lines.withLock { lines in
      guard var line = lines[origin] else { return nil }
      if !line.waiting.isEmpty {
        let next = line.waiting.removeFirst()
        lines[origin] = line
        return next
      }
      line.running -= 1
      lines[origin] = line.running > 0 ? line : nil
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
