import LupineCore
import LupineSupport
import Synchronization

/// Resolves host names on a bounded number of threads.
///
/// Exchanges that ask for the same name at the same time share one lookup.
///
/// An exchange that ends during a lookup stops waiting at once. The system's resolver cannot be interrupted, so its
/// thread counts until the resolver returns. Names beyond the bound wait for a thread.
final class HostLookups: Sendable {
  typealias Outcome = Result<[IPAddress], LupineError>
  /// Receives the outcome, once, on any thread.
  typealias Answer = @Sendable (Outcome) -> Void

  /// Identifies a waiting exchange.
  struct Place: Sendable {
    fileprivate let host: String
    fileprivate let id: UInt64
    /// Whether the name waits for a thread.
    let isQueued: Bool
  }

  private struct State {
    var lastID: UInt64 = 0
    /// The waiters of each name that is queued or being resolved; empty if all of them have left.
    var waiters: [String: [UInt64: Answer]] = [:]
    /// The names that wait for a thread.
    var queue: [String] = []
    var threads = 0
    var isClosed = false

    /// The number of exchanges whose names wait for a thread.
    var waitingCount: Int { queue.reduce(0) { $0 + (waiters[$1]?.count ?? 0) } }
  }

  /// The maximum number of exchanges that wait for a thread.
  private static let room = 1_000
  private let limit: Int
  private let resolver: HostResolver
  private let state = Mutex(State())

  /// - Parameter limit: the maximum number of concurrent lookups; at least one.
  init(_ resolver: HostResolver, limit: Int = 32) {
    self.resolver = resolver
    self.limit = max(1, limit)
  }

  /// The number of exchanges whose names wait for a thread.
  var waitingCount: Int { state.withLock { $0.waitingCount } }

  /// The reason that the event `queued` contains.
  var reason: String { "\(limit) names are being looked up, as many as may be" }

  /// Adds a waiter for a name's addresses.
  ///
  /// The caller must call `launch` next.
  ///
  /// - Throws: `LupineError` of kind `limitExceeded(.nameLookups)` or `sessionShutDown`.
  func enter(_ host: String, _ answer: @escaping Answer) throws(LupineError) -> Place {
    try state.withLock { (state) throws(LupineError) in
      guard !state.isClosed else { throw LupineError.transportShutDown }
      let isQueued =
        state.waiters[host] == nil ? state.threads + state.queue.count >= limit : state.queue.contains(host)
      if isQueued, state.waitingCount >= Self.room { throw tooMany }
      if state.waiters[host] == nil { state.queue.append(host) }
      state.lastID += 1
      state.waiters[host, default: [:]][state.lastID] = answer
      return Place(host: host, id: state.lastID, isQueued: isQueued)
    }
  }

  /// Starts a thread if a name waits and the limit allows another thread.
  func launch() {
    let first: String? = state.withLock { state in
      guard state.threads < limit, !state.queue.isEmpty else { return nil }
      state.threads += 1
      return state.queue.removeFirst()
    }
    guard let first else { return }
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-resolve") { [self] in work(on: first) }.detach()
    } catch {
      state.withLock { $0.threads -= 1 }
      answer(first, .failure("a thread cannot be started: \(SystemError(code: error.code).text)"))
    }
  }

  /// Removes a waiter; false if the waiter has already received the outcome.
  @discardableResult
  func leave(_ place: Place) -> Bool {
    state.withLock { state in
      guard state.waiters[place.host]?.removeValue(forKey: place.id) != nil else { return false }
      if state.waiters[place.host]?.isEmpty == true, let index = state.queue.firstIndex(of: place.host) {
        state.queue.remove(at: index)
        state.waiters[place.host] = nil
      }
      return true
    }
  }

  /// Ends every current and future wait with kind `sessionShutDown`.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      state.queue = []
      defer { state.waiters = [:] }
      return state.waiters.values.flatMap(\.values)
    }
    for waiter in waiters { waiter(.failure(.transportShutDown)) }
  }

  /// Resolves one name after another on the current thread, until no name waits.
  private func work(on first: String) {
    var host: String? = first
    while let each = host {
      answer(each, resolver.resolve(each))
      host = next()
    }
  }

  private func next() -> String? {
    state.withLock { state in
      guard state.queue.isEmpty else { return state.queue.removeFirst() }
      state.threads -= 1
      return nil
    }
  }

  private func answer(_ host: String, _ answer: HostResolver.Answer) {
    let waiters = state.withLock { $0.waiters.removeValue(forKey: host) } ?? [:]
    let outcome: Outcome =
      switch answer {
      case .addresses(let addresses): .success(addresses)
      case .failure(let reason):
        .failure(LupineError(.hostNotFound, "The host's name has no address: \(reason). Check its spelling."))
      }
    for waiter in waiters.values { waiter(outcome) }
  }

  private var tooMany: LupineError {
    LupineError(
      .limitExceeded(.nameLookups),
      "\(reason), and \(Self.room) exchanges wait for theirs (limit nameLookups). Raise the transport's nameLookups, or "
        + "send less at once.")
  }

  static let late = LupineError(.timedOut(.connect), "The host's name was not looked up in time.")
}

extension HostLookups {
  /// Resolves a name for an exchange that has not entered the loop, and waits at most its connect timeout.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound`, `timedOut`, `limitExceeded` or `sessionShutDown`, or the error
  ///   with which the exchange was cancelled.
  func addresses(
    of host: String, in context: TransferContext, on time: SessionClock
  ) async throws(LupineError) -> [IPAddress] {
    var timer: ScheduledTimer?
    // `nil` means that the exchange was cancelled.
    let outcome: Outcome? = await withUnsafeContinuation { (waiter: UnsafeContinuation<Outcome?, Never>) in
      let place: Place
      do throws(LupineError) { place = try enter(host) { waiter.resume(returning: $0) } } catch {
        return waiter.resume(returning: .failure(error))
      }
      if place.isQueued { context.emit(.queued(reason: reason)) }
      timer = context.connectTimeout.map { limit in
        time.schedule(limit) { [self] in if leave(place) { waiter.resume(returning: .failure(Self.late)) } }
      }
      context.onCancel { [self] in if leave(place) { waiter.resume(returning: nil) } }
      // Last, so that the timer and the cancellation handler exist before the result arrives.
      launch()
    }
    timer?.cancel()
    if let reason = context.control.reason { throw reason }
    guard let outcome else { throw LupineError(.cancelled, "The request was cancelled.") }
    return try outcome.get()
  }
}
