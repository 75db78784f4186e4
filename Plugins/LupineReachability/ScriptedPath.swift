import Synchronization

/// A network under a test's control, without delays.
///
/// ```swift
/// let path = ScriptedPath(.offline)
/// let session = try Session.Builder().transport(mock).retrier(OfflineRetrier(source: path)).build()
/// …
/// path.set(.ethernet)
/// ```
public final class ScriptedPath: NetworkPathSource {
  /// A change of the network after a delay.
  public struct Step: Sendable, Hashable {
    /// The time since the previous change.
    public var delay: Duration
    /// The network after the change.
    public var path: NetworkPath

    /// A change after a delay.
    public static func after(_ delay: Duration, _ path: NetworkPath) -> Step { Step(delay: delay, path: path) }
  }

  private let state: Mutex<ScriptedPathState>

  /// Creates a network in a state.
  public init(_ path: NetworkPath = .ethernet) { state = Mutex(ScriptedPathState(path)) }

  /// Changes the network and calls the watchers.
  ///
  /// It returns after the calls, unless another thread is making calls already; that thread then makes them.
  ///
  /// - Parameter host: the host whose route changes; `nil` for the default route and every host without a state of its
  ///   own.
  public func set(_ path: NetworkPath, to host: String? = nil) {
    let wake = state.withLock { $0.set(path, to: host) }
    if wake { deliver() }
  }

  /// Makes changes in sequence on a clock; returns after the last.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the last change.
  public func play(_ steps: [Step], on clock: some Clock<Duration>) async throws {
    for step in steps {
      try await clock.sleep(for: step.delay)
      set(step.path)
    }
  }

  /// Returns the last state that was set.
  public func currentPath(to host: String?) -> NetworkPath { state.withLock { $0.path(to: host) } }

  /// Calls the handler at once with the network, and then at every change.
  public func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    let (id, wake) = state.withLock { $0.add(host, onChange) }
    for waiting in state.withLock({ $0.takeSatisfied() }) { waiting.resume() }
    if wake { deliver() }
    return NetworkPathWatch { [weak self] in self?.state.withLock { $0.remove(id) } }
  }

  /// The number of active watches.
  public var watcherCount: Int { state.withLock { $0.watcherCount } }

  /// Waits until there are at least `count` watches; a request that waits for a network has one.
  public func waitForWatchers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      if state.withLock({ $0.wait(for: count, continuation) }) { continuation.resume() }
    }
  }

  /// Makes the pending calls, one at a time and in order, without the lock.
  private func deliver() {
    while let (handler, path) = state.withLock({ $0.nextDelivery() }) { handler(path) }
  }
}
