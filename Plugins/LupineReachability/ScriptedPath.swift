import Synchronization

/// A network that a test plays: offline, then back, in no time.
///
/// ```swift
/// let path = ScriptedPath(.offline)
/// let session = try Session.Builder().transport(mock).retrier(OfflineRetrier(source: path)).build()
/// …
/// path.set(.ethernet)
/// ```
public final class ScriptedPath: NetworkPathSource {
  /// A change of the network, and how long after the one before it comes.
  public struct Step: Sendable, Hashable {
    /// How long the network before it lasts.
    public var delay: Duration
    /// The network then.
    public var path: NetworkPath

    /// A change after a delay.
    public static func after(_ delay: Duration, _ path: NetworkPath) -> Step { Step(delay: delay, path: path) }
  }

  private let state: Mutex<ScriptedPathState>

  /// Begins with a network.
  public init(_ path: NetworkPath = .ethernet) { state = Mutex(ScriptedPathState(path)) }

  /// Changes the network; whoever watches has been told when it returns, unless another thread is telling them already.
  ///
  /// - Parameter host: a host the way to which changes; `nil` for the default route and every host without a way of its
  ///   own.
  public func set(_ path: NetworkPath, to host: String? = nil) {
    let wake = state.withLock { $0.set(path, to: host) }
    if wake { deliver() }
  }

  /// Plays changes one after the other, on a clock; returns after the last.
  ///
  /// - Throws: `CancellationError` where the task is cancelled before that.
  public func play(_ steps: [Step], on clock: some Clock<Duration>) async throws {
    for step in steps {
      try await clock.sleep(for: step.delay)
      set(step.path)
    }
  }

  /// The network that was set last.
  public func currentPath(to host: String?) -> NetworkPath { state.withLock { $0.path(to: host) } }

  /// Calls the handler at once with the network, and then whenever it is set to another.
  public func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    let (id, wake) = state.withLock { $0.add(host, onChange) }
    for waiting in state.withLock({ $0.takeSatisfied() }) { waiting.resume() }
    if wake { deliver() }
    return NetworkPathWatch { [weak self] in self?.state.withLock { $0.remove(id) } }
  }

  /// How many watch.
  public var watcherCount: Int { state.withLock { $0.watcherCount } }

  /// Waits until so many watch: a request that waits for a network does.
  public func waitForWatchers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      if state.withLock({ $0.wait(for: count, continuation) }) { continuation.resume() }
    }
  }

  /// Hands out what is to be told, one at a time and in order, with no lock held.
  private func deliver() {
    while let (handler, path) = state.withLock({ $0.nextDelivery() }) { handler(path) }
  }
}
