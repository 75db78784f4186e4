import LupineCore
import LupineEventLoop

/// The lookup of the name that an exchange connects to, with `HostLookups` instead of libcurl.
///
/// libcurl resolves each name on its own thread, without a limit. So the resolver-start callback stops the transfer if
/// libcurl has no cached addresses. `HostLookups` resolves the name, and the transfer restarts with the addresses.
struct NameLookup {
  private enum State {
    case none
    /// libcurl has no addresses for the name.
    case needed
    case running(HostLookups.Waiter, HostLookups)
    /// libcurl has received the addresses.
    case finished
  }

  private var state = State.none
  /// Ends the wait for the name.
  private var timer: ScheduledTimer?

  /// Whether libcurl may resolve a host itself.
  ///
  /// Addresses need no thread, and neither do the names that libcurl knows.
  static func isLeftToLibcurl(_ host: String) -> Bool {
    host.contains(":") || IPAddress(host) != nil || host == "localhost" || host.hasSuffix(".localhost")
  }

  var isNeeded: Bool { if case .needed = state { true } else { false } }

  var isRunning: Bool { if case .running = state { true } else { false } }

  /// Records that libcurl has no addresses for the name.
  mutating func require() {
    if case .finished = state { return }
    state = .needed
  }

  /// Records a lookup, which the timer ends at the connect timeout.
  mutating func begin(_ waiter: HostLookups.Waiter, in lookups: HostLookups, _ timer: ScheduledTimer?) {
    state = .running(waiter, lookups)
    self.timer = timer
  }

  /// Records that libcurl receives the addresses.
  mutating func finish() { state = .finished }

  /// Ends the wait for the name; no effect if none is under way.
  mutating func cancel() {
    guard case .running(let waiter, let lookups) = state else { return }
    lookups.removeWaiter(waiter)
    timer?.cancel()
    timer = nil
    state = .none
  }

  /// Reports a failed lookup of a proxy's name as `proxyFailed`.
  static func error(_ error: LupineError, for proxy: Proxy?) -> LupineError {
    guard let proxy, error.kind == .hostNotFound else { return error }
    return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(error.message)")
  }
}
