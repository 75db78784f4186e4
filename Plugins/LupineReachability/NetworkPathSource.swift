import DequeModule
import LupineSupport
import Synchronization

/// Supplies the state of the network and its changes, from the kernel or from a test's script.
public protocol NetworkPathSource: Sendable {
  /// Returns the current network without waiting; the status is `unknown` if a host name must be resolved first.
  ///
  /// - Parameter host: a name or a literal address, whose route determines the status; `nil` for the default route.
  func currentPath(to host: String?) -> NetworkPath

  /// Calls the handler with the current network as soon as it is known, and then at every change.
  ///
  /// The calls arrive in order and do not overlap; they may come from any thread. The handler must be quick and must
  /// not block. A call that has begun before the watch is cancelled may end after the cancellation.
  func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch
}

/// A watch on the network, which lasts until it is cancelled.
public struct NetworkPathWatch: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Creates a watch from the closure that ends it.
  ///
  /// Each call of `cancel()` calls the closure, on its caller's thread; the second call of the closure must do nothing.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Ends the watch.
  public func cancel() { cancellation() }
}

/// A network under a test's control, without delays.
///
/// ```swift
/// let path = ScriptedPath(.offline)
/// let session = try Session.Builder()
///   .transport(mock)
///   .retrier(OfflineRetrier(source: path))
///   .retrier(.backoff(limit: 3))
///   .build()
/// async let user = session.request("https://api.example.com/v1/users/42").serializingString().value
/// await path.waitForWatchers()  // the request has failed, and waits for a network
/// path.set(.wifi)
/// print(try await user)
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
      try await clock.sleep(for: step.delay.bounded)
      set(step.path)
    }
  }

  /// Returns the last state that was set.
  public func currentPath(to host: String?) -> NetworkPath { state.withLock { $0.path(to: host) } }

  /// Calls the handler at once with the network, and then at every change.
  public func watch(_ host: String?, onChange: @escaping @Sendable (NetworkPath) -> Void) -> NetworkPathWatch {
    let (id, wake) = state.withLock { $0.add(host, onChange) }
    for waiting in state.withLock({ $0.removeSatisfiedWaiters() }) { waiting.resume() }
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

/// The state of a `ScriptedPath`.
struct ScriptedPathState {
  typealias Handler = @Sendable (NetworkPath) -> Void

  private struct Watcher {
    let host: String?
    let handler: Handler
    var lastDelivered: NetworkPath?
  }

  private var path: NetworkPath
  private var hostPaths: [String: NetworkPath] = [:]
  private var watchers: [UInt64: Watcher] = [:]
  private var lastID: UInt64 = 0
  private var deliveries: Deque<(id: UInt64, path: NetworkPath)> = []
  private var isDelivering = false
  private var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []

  init(_ path: NetworkPath) { self.path = path }

  var watcherCount: Int { watchers.count }

  func path(to host: String?) -> NetworkPath { host.flatMap { hostPaths[$0] } ?? path }

  /// Changes the network; returns whether the caller must make the pending calls.
  mutating func set(_ path: NetworkPath, to host: String?) -> Bool {
    if let host { hostPaths[host] = path } else { self.path = path }
    for id in watchers.keys.sorted() { enqueueDelivery(id) }
    return beginDelivery()
  }

  /// Adds a watcher; returns whether the caller must make the pending calls.
  mutating func add(_ host: String?, _ handler: @escaping Handler) -> (id: UInt64, delivers: Bool) {
    lastID += 1
    watchers[lastID] = Watcher(host: host, handler: handler)
    enqueueDelivery(lastID)
    return (lastID, beginDelivery())
  }

  mutating func remove(_ id: UInt64) { watchers[id] = nil }

  /// Returns the next call; `nil` ends the delivery.
  mutating func nextDelivery() -> (handler: Handler, path: NetworkPath)? {
    while let (id, path) = deliveries.popFirst() {
      if let watcher = watchers[id] { return (watcher.handler, path) }
    }
    isDelivering = false
    return nil
  }

  /// Adds a waiter for a number of watchers; returns true if there are enough already.
  mutating func wait(for count: Int, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
    if watchers.count >= count { return true }
    waiting.append((count, continuation))
    return false
  }

  mutating func removeSatisfiedWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { waiting.removeAll { $0.count <= watchers.count } }
    return waiting.filter { $0.count <= watchers.count }.map(\.1)
  }

  private mutating func enqueueDelivery(_ id: UInt64) {
    let path = path(to: watchers[id]?.host)
    guard watchers[id]?.lastDelivered != path else { return }
    watchers[id]?.lastDelivered = path
    deliveries.append((id, path))
  }

  private mutating func beginDelivery() -> Bool {
    guard !isDelivering, !deliveries.isEmpty else { return false }
    isDelivering = true
    return true
  }
}
