public import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Lets so many exchanges be under way with each origin at the same time; others wait in a line, first come, first served.
///
/// An exchange is under way until the last byte of its response has been taken. When the line is full as well, an exchange
/// fails at once with kind `concurrencyLimited`. One that waits counts towards the timeouts of its request, and leaves the
/// line when it is cancelled. One limiter may serve several sessions.
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
  ///   - limit: the exchanges under way with one origin. Default: 100.
  ///   - queueLimit: how many more may wait. Default: 1,000.
  public init(limit: Int = 100, queueLimit: Int = 1_000) {
    self.limit = max(1, limit)
    self.queueLimit = max(0, queueLimit)
  }

  /// The exchanges that are under way with a URL's origin, and those that wait.
  public func load(of url: HTTPURL) -> (running: Int, waiting: Int) {
    lines.withLock { $0[url.origin].map { ($0.running, $0.waiting.count) } ?? (0, 0) }
  }

  /// Stands between the session and its transport, inside hedging and outside the rate limiter.
  public func install(in builder: inout Session.Builder) {
    builder = builder.transportLayer(
      TransportLayer(.concurrencyLimit, inside: [.tracing, .cache, .hedging]) {
        ConcurrencyLayer(base: $0, limiter: self)
      })
  }

  /// Waits for a place.
  ///
  /// - Throws: `LupineError` of kind `concurrencyLimited` where the line is full, the reason where the exchange is cancelled.
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

  /// Gives the place to the next in line.
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

  /// The next in line, who has the place then; `nil` where nobody waits, and the place is free.
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
  /// A concurrency limiter of the session's own; see `ConcurrencyLimiter`.
  public static func concurrencyLimit(_ limit: Int, queueLimit: Int = 1_000) -> ConcurrencyLimiter {
    ConcurrencyLimiter(limit: limit, queueLimit: queueLimit)
  }
}
