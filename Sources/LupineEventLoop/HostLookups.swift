public import LupineCore
import LupineSupport
import Synchronization

/// Resolves host names with one resolver, by a bounded number of concurrent lookups.
///
/// A resolver that blocks has threads; an asynchronous one has tasks. Exchanges that need the same name at the same time
/// share one lookup. The addresses of a name may be kept for a while; failures are not kept.
///
/// An exchange that ends during a lookup stops waiting at once. A task that no exchange waits for is cancelled; a thread
/// cannot be interrupted. Either counts until the resolver returns. Names beyond the bound wait.
public final class HostLookups: Sendable {
  /// The addresses of a name, or the error of the lookup.
  public typealias Outcome = Result<[IPAddress], LupineError>
  /// Receives the outcome, once, on any thread.
  public typealias Completion = @Sendable (Outcome) -> Void

  /// Identifies a waiting exchange.
  public struct Waiter: Sendable {
    fileprivate let host: String
    fileprivate let id: UInt64
    /// Whether the name waits for another lookup to end.
    public let isQueued: Bool
  }

  /// One call of the resolver.
  private struct Lookup {
    let host: String
    let id: UInt64
  }

  private struct State {
    var lastID: UInt64 = 0
    /// The names that are queued or being resolved.
    var names: [String: Name] = [:]
    /// The names that wait for another lookup to end.
    var queue = RemovableQueue<String>()
    /// The number of threads, or of tasks.
    var running = 0
    var isClosed = false
    /// The addresses that have been found, and the time at which they are out of date.
    var found: [String: (addresses: [IPAddress], expiry: UInt64)] = [:]

    /// The number of exchanges whose names are queued.
    var waitingCount = 0

    /// Removes the first name from the queue, for a thread or a task that resolves it.
    mutating func popFirst() -> Lookup? {
      guard let host = queue.popFirst() else { return nil }
      lastID += 1
      names[host]?.place = nil
      names[host]?.lookup = lastID
      waitingCount -= names[host]?.waiters.count ?? 0
      return Lookup(host: host, id: lastID)
    }
  }

  /// A name that is queued or being resolved.
  private struct Name {
    /// The exchanges that wait for the addresses; empty if all of them have left.
    var waiters: [UInt64: Completion] = [:]
    /// The place in the queue; `nil` while the name is being resolved.
    var place: RemovableQueue<String>.Place?
    /// The number of the running lookup.
    var lookup: UInt64?
    /// Cancels the task of the lookup.
    var cancel: (@Sendable () -> Void)?
  }

  /// The maximum number of exchanges whose names are queued.
  private static let maximumWaiting = 1_000
  /// The maximum number of names whose addresses are kept.
  private static let maximumFound = 1_000
  private let limit: Int
  private let resolver: HostResolver
  private let lifetime: UInt64
  private let now: @Sendable () -> UInt64
  private let state = Mutex(State())

  /// - Parameters:
  ///   - resolver: resolves the names.
  ///   - limit: the maximum number of concurrent lookups; at least one.
  ///   - lifetime: how long the addresses of a name are kept. Default: not at all.
  ///   - now: returns the time in nanoseconds of a monotonic clock.
  public init(
    _ resolver: HostResolver, limit: Int = 32, lifetime: Duration = .zero,
    now: @escaping @Sendable () -> UInt64 = { MonotonicClock.now }
  ) {
    self.resolver = resolver
    self.limit = max(1, limit)
    self.lifetime = UInt64(clamping: lifetime.nanoseconds)
    self.now = now
  }

  /// Returns the addresses of a name that were found within the lifetime; `nil` without any.
  public func keptAddresses(of host: String) -> [IPAddress]? {
    if lifetime == 0 { return nil }
    let now = now()
    return state.withLock { $0.found[host].flatMap { now < $0.expiry ? $0.addresses : nil } }
  }

  /// Makes the next exchange look a name up again, because no connection to its addresses could be made.
  public func forget(_ host: String) {
    if lifetime > 0 { state.withLock { $0.found[host] = nil } }
  }

  private func keep(_ addresses: [IPAddress], of host: String) {
    guard lifetime > 0 else { return }
    let now = now()
    state.withLock { state in
      if state.found.count >= Self.maximumFound { state.found = state.found.filter { now < $0.value.expiry } }
      if state.found.count < Self.maximumFound { state.found[host] = (addresses, now + lifetime) }
    }
  }

  /// The number of exchanges whose names are queued.
  public var waitingCount: Int { state.withLock { $0.waitingCount } }

  /// The reason that the event `queued` contains.
  public var queueReason: String { "\(limit) names are being looked up, the maximum" }

  /// Adds a waiter for a name's addresses.
  ///
  /// The caller must call `start` next.
  ///
  /// - Throws: `LupineError` of kind `limitExceeded(.nameLookups)` or `sessionShutDown`.
  public func addWaiter(for host: String, _ completion: @escaping Completion) throws(LupineError) -> Waiter {
    try state.withLock { (state) throws(LupineError) in
      guard !state.isClosed else { throw LupineError.transportShutDown }
      let isQueued: Bool
      if let name = state.names[host] {
        isQueued = name.place != nil
      } else {
        isQueued = state.running + state.queue.count >= limit
      }
      if isQueued, state.waitingCount >= Self.maximumWaiting { throw tooManyWaiting }
      if state.names[host] == nil { state.names[host] = Name(place: state.queue.append(host)) }
      state.lastID += 1
      state.names[host]?.waiters[state.lastID] = completion
      if state.names[host]?.place != nil { state.waitingCount += 1 }
      return Waiter(host: host, id: state.lastID, isQueued: isQueued)
    }
  }

  /// Starts a lookup if a name is queued and the limit allows another lookup.
  public func start() {
    let first: Lookup? = state.withLock { state in
      guard state.running < limit, let lookup = state.popFirst() else { return nil }
      state.running += 1
      return lookup
    }
    guard let first else { return }
    switch resolver.function {
    case .blocking(let answer): startThread(answer, first)
    case .asynchronous: startTask(first)
    }
  }

  /// Removes a waiter; false if the waiter has already received the outcome.
  @discardableResult
  public func removeWaiter(_ waiter: Waiter) -> Bool {
    let (isRemoved, cancel) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard state.names[waiter.host]?.waiters.removeValue(forKey: waiter.id) != nil else { return (false, nil) }
      guard let name = state.names[waiter.host] else { return (true, nil) }
      if let place = name.place {
        state.waitingCount -= 1
        if name.waiters.isEmpty {
          state.queue.remove(place)
          state.names[waiter.host] = nil
        }
      } else if name.waiters.isEmpty, isCancellable {
        // The next exchange starts a new lookup.
        state.names[waiter.host] = nil
        return (true, name.cancel)
      }
      return (true, nil)
    }
    cancel?()
    return isRemoved
  }

  /// Ends every current and future wait with kind `sessionShutDown`.
  public func close() {
    let names = state.withLock { state in
      state.isClosed = true
      state.queue.removeAll()
      state.waitingCount = 0
      defer { state.names = [:] }
      return Array(state.names.values)
    }
    for name in names {
      name.cancel?()
      for complete in name.waiters.values { complete(.failure(.transportShutDown)) }
    }
  }

  private var isCancellable: Bool { if case .asynchronous = resolver.function { true } else { false } }

  private func startThread(_ answer: @escaping @Sendable (String) -> HostResolver.Answer, _ first: Lookup) {
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-resolve", stackSize: HostResolver.threadStackSize) { [self] in
        resolveNames(answer, first)
      }.detach()
    } catch {
      state.withLock { $0.running -= 1 }
      let reason = "a thread cannot be started: \(SystemError(code: error.code).text)"
      deliver(HostResolver.Answer.failure(reason).outcome, of: first)
    }
  }

  /// Resolves one name after another on the current thread, until no name is queued.
  private func resolveNames(_ answer: (String) -> HostResolver.Answer, _ first: Lookup) {
    var lookup: Lookup? = first
    while let each = lookup {
      deliver(answer(each.host).outcome, of: each)
      lookup = state.withLock { state in
        if let next = state.popFirst() { return next }
        state.running -= 1
        return nil
      }
    }
  }

  /// Resolves a name in a task that belongs to no exchange, because several may wait for it.
  private func startTask(_ lookup: Lookup) {
    let task = Task.detached { [self] in
      deliver(await resolver.outcome(for: lookup.host), of: lookup)
      state.withLock { $0.running -= 1 }
      start()
    }
    // In another task, because the program's code may have cancellation handlers, and a loop's thread may call this.
    let cancel: @Sendable () -> Void = { Task.detached { task.cancel() } }
    let isAwaited = state.withLock { state in
      guard state.names[lookup.host]?.lookup == lookup.id else { return false }
      state.names[lookup.host]?.cancel = cancel
      return true
    }
    if !isAwaited { cancel() }
  }

  private func deliver(_ outcome: Outcome, of lookup: Lookup) {
    if case .success(let addresses) = outcome { keep(addresses, of: lookup.host) }
    let waiters = state.withLock { state -> [UInt64: Completion] in
      guard state.names[lookup.host]?.lookup == lookup.id else { return [:] }
      return state.names.removeValue(forKey: lookup.host)?.waiters ?? [:]
    }
    for complete in waiters.values { complete(outcome) }
  }

  private var tooManyWaiting: LupineError {
    LupineError(
      .limitExceeded(.nameLookups),
      "\(queueReason), and \(Self.maximumWaiting) exchanges wait for a lookup (limit nameLookups). Raise the transport's "
        + "nameLookups, or send fewer requests at once.")
  }

  /// The error of an exchange whose connect timeout passes during the lookup.
  public static let timeout = LupineError(.timedOut(.connect), "The lookup of the host's name did not finish in time.")
}

extension HostLookups {
  /// Resolves a name for an exchange that has not entered the loop, and waits at most its connect timeout.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound`, `timedOut`, `limitExceeded` or `sessionShutDown`, or the error
  ///   with which the exchange was cancelled.
  public func addresses(
    of host: String, in context: TransferContext, on time: SessionClock
  ) async throws(LupineError) -> [IPAddress] {
    var timer: ScheduledTimer?
    // `nil` means that the exchange was cancelled.
    let outcome: Outcome? = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome?, Never>) in
      let waiter: Waiter
      do throws(LupineError) { waiter = try addWaiter(for: host) { continuation.resume(returning: $0) } } catch {
        return continuation.resume(returning: .failure(error))
      }
      if waiter.isQueued { context.emit(.queued(reason: queueReason)) }
      timer = context.connectTimeout.map { limit in
        time.schedule(limit) { [self] in
          if removeWaiter(waiter) { continuation.resume(returning: .failure(Self.timeout)) }
        }
      }
      context.onCancel { [self] in if removeWaiter(waiter) { continuation.resume(returning: nil) } }
      // Last, so that the timer and the cancellation handler exist before the result arrives.
      start()
    }
    timer?.cancel()
    if let reason = context.control.reason { throw reason }
    guard let outcome else { throw LupineError(.cancelled, "The request was cancelled.") }
    return try outcome.get()
  }
}
