import Glibc
import LupineCore
import Synchronization

/// The names that a transport looks up itself, with one thread for each name however many exchanges ask for it.
///
/// An exchange that ends meanwhile leaves at once, and the thread ends when the resolver lets it; an exchange that asks
/// for the name before that joins those who wait.
final class HostLookups: Sendable {
  private typealias Outcome = Result<[IPAddress], LupineError>
  /// `nil` tells of a cancellation.
  private typealias Waiter = UnsafeContinuation<Outcome?, Never>

  private struct State {
    var lastID: UInt64 = 0
    /// Who waits for the names that are being looked up; nobody where all have left.
    var waiters: [String: [UInt64: Waiter]] = [:]
    var isClosed = false
  }

  private let resolver: HostResolver
  private let state = Mutex(State())

  init(_ resolver: HostResolver) { self.resolver = resolver }

  /// The name's addresses, for an exchange that waits no longer than its connect timeout.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound`, `timedOut`, `sessionShutDown`, or what the exchange was cancelled for.
  func addresses(
    of host: String, in context: TransferContext, on time: SessionClock
  ) async throws(LupineError) -> [IPAddress] {
    var timer: ScheduledTimer?
    let outcome: Outcome? = await withUnsafeContinuation { waiter in
      guard let (id, isFirst) = enter(host, waiter) else {
        return waiter.resume(returning: .failure(Engine.shutDownError))
      }
      timer = context.connectTimeout.map { limit in
        time.schedule(limit) { [self] in leave(host, id, with: .failure(Self.late)) }
      }
      context.onCancel { [self] in leave(host, id, with: nil) }
      // The last step, so that nothing is missing when the answer comes.
      if isFirst { ask(host) }
    }
    timer?.cancel()
    if let reason = context.control.reason { throw reason }
    guard let outcome else { throw LupineError(.cancelled, "The request was cancelled.") }
    return try outcome.get()
  }

  /// Ends every wait with kind `sessionShutDown`, now and later.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [:] }
      return state.waiters.values.flatMap(\.values)
    }
    for waiter in waiters { waiter.resume(returning: .failure(Engine.shutDownError)) }
  }

  /// Takes in who waits, and says whether nobody has asked for the name before; `nil` after the end.
  private func enter(_ host: String, _ waiter: Waiter) -> (id: UInt64, isFirst: Bool)? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      let isFirst = state.waiters[host] == nil
      state.waiters[host, default: [:]][state.lastID] = waiter
      return (state.lastID, isFirst)
    }
  }

  private func leave(_ host: String, _ id: UInt64, with outcome: Outcome?) {
    let waiter = state.withLock { $0.waiters[host]?.removeValue(forKey: id) }
    waiter?.resume(returning: outcome)
  }

  private func ask(_ host: String) {
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-resolve") { [self] in answer(host, resolver.resolve(host)) }.detach()
    } catch {
      answer(host, .failure("a thread cannot be started: \(String(cString: strerror(error.code)))"))
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
    for waiter in waiters.values { waiter.resume(returning: outcome) }
  }

  private static let late = LupineError(.timedOut(.connect), "The host's name was not looked up in time.")
}
