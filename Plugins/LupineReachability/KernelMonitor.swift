import LupineCore
import LupineSupport
import Synchronization

/// Reads one netlink socket on one thread, for all watchers of a network.
final class KernelMonitor: Sendable {
  struct Watcher: Sendable {
    let host: String?
    /// Resolves a name; blocks.
    let resolve: @Sendable (_ host: String) -> HostResolver.Answer
    let onChange: @Sendable (NetworkPath) -> Void
  }

  enum Command: Sendable {
    case add(UInt64, Watcher)
    case remove(UInt64)
    case resolved(UInt64, HostResolver.Answer)
  }

  private struct State {
    var watchers: [UInt64: Watcher] = [:]
    var commands: [Command] = []
    var descriptor: Int32?
    var isEnding = false
    var hasFailed = false
    var path: NetworkPath?
  }

  let namespace: NetworkNamespace?
  private let state = Mutex(State())

  init(namespace: NetworkNamespace?) { self.namespace = namespace }

  /// The last reported network, if there is one.
  var path: NetworkPath? { state.withLock { $0.path } }

  /// Starts the thread, which calls `onEnd` after the socket is closed.
  func start(onEnd: @escaping @Sendable () -> Void) {
    do throws(SystemThread.Failure) {
      let thread = try SystemThread("lupine-netlink") {
        self.run()
        onEnd()
      }
      thread.detach()
    } catch {
      fail(NetlinkFailure(error).message)
      onEnd()
    }
  }

  /// Adds a watcher; returns false if the monitor has failed or is about to end.
  func add(_ id: UInt64, _ watcher: Watcher) -> Bool {
    state.withLock { state in
      guard !state.hasFailed, !state.isEnding else { return false }
      state.watchers[id] = watcher
      Self.post(.add(id, watcher), &state)
      return true
    }
  }

  /// Removes a watcher; returns true if it was the last, which ends the thread.
  func remove(_ id: UInt64) -> Bool {
    state.withLock { state in
      guard state.watchers.removeValue(forKey: id) != nil else { return false }
      state.isEnding = state.watchers.isEmpty
      Self.post(.remove(id), &state)
      return state.isEnding
    }
  }

  /// Sends a command to the thread.
  func post(_ command: Command) { state.withLock { Self.post(command, &$0) } }

  private static func post(_ command: Command, _ state: inout State) {
    guard !state.hasFailed else { return }
    state.commands.append(command)
    if let descriptor = state.descriptor { NetlinkSocket.wake(descriptor) }
  }

  private func run() {
    do throws(NetlinkFailure) {
      try namespace?.enter()
      let socket = try NetlinkSocket(isSubscribed: true)
      state.withLock { $0.descriptor = socket.descriptor }
      var loop = MonitorLoop(monitor: self, port: socket.port)
      let failure = loop.run(socket)
      state.withLock { $0.descriptor = nil }
      if let failure { throw failure }
      state.withLock { $0.hasFailed = true }
    } catch {
      fail(error.message)
    }
  }

  private func fail(_ reason: String) {
    let watchers = state.withLock { state in
      state.hasFailed = true
      state.path = nil
      defer { state.watchers = [:] }
      return state.watchers
    }
    for watcher in watchers.values { watcher.onChange(.unknown(.netlinkUnavailable(reason))) }
  }
}

extension KernelMonitor {
  /// Returns the commands for the thread; `nil` ends the thread.
  func removeCommands() -> [Command]? {
    state.withLock { state in
      defer { state.commands = [] }
      return state.isEnding ? nil : state.commands
    }
  }

  /// Stores the network for `currentPath`.
  func setPath(_ path: NetworkPath) { state.withLock { $0.path = path } }
}

/// The monitors of this process: one for each watched network namespace.
final class KernelMonitors: Sendable {
  private struct State {
    var monitors: [NetworkNamespace?: KernelMonitor] = [:]
    /// The number of threads that have a socket or will open one.
    var threads: [NetworkNamespace?: Int] = [:]
    var waiting: [(namespace: NetworkNamespace?, CheckedContinuation<Void, Never>)] = []
    var lastID: UInt64 = 0
  }

  static let shared = KernelMonitors()

  private let state = Mutex(State())

  /// Adds a watcher to the namespace's monitor, or starts a monitor.
  func watch(_ namespace: NetworkNamespace?, _ watcher: KernelMonitor.Watcher) -> NetworkPathWatch {
    let (id, monitor, isNew) = state.withLock { state in
      state.lastID += 1
      if let monitor = state.monitors[namespace], monitor.add(state.lastID, watcher) {
        return (state.lastID, monitor, false)
      }
      let monitor = KernelMonitor(namespace: namespace)
      _ = monitor.add(state.lastID, watcher)
      state.monitors[namespace] = monitor
      state.threads[namespace, default: 0] += 1
      return (state.lastID, monitor, true)
    }
    if isNew { monitor.start { [weak self] in self?.ended(namespace) } }
    return NetworkPathWatch { [weak self] in self?.remove(id, from: monitor) }
  }

  /// Returns the last network that the namespace's monitor reported; `nil` without a monitor.
  func path(_ namespace: NetworkNamespace?) -> NetworkPath? { state.withLock { $0.monitors[namespace] }?.path }

  /// Returns the number of open sockets for a namespace.
  func socketCount(_ namespace: NetworkNamespace?) -> Int { state.withLock { $0.threads[namespace] ?? 0 } }

  /// Waits until no socket is open for a namespace.
  func waitForEnd(_ namespace: NetworkNamespace?) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.threads[namespace] == nil { return true }
        state.waiting.append((namespace, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private func remove(_ id: UInt64, from monitor: KernelMonitor) {
    state.withLock { state in
      guard monitor.remove(id), state.monitors[monitor.namespace] === monitor else { return }
      state.monitors[monitor.namespace] = nil
    }
  }

  private func ended(_ namespace: NetworkNamespace?) {
    let woken = state.withLock { state in
      let count = (state.threads[namespace] ?? 1) - 1
      state.threads[namespace] = count == 0 ? nil : count
      guard count == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting.removeAll { $0.namespace == namespace } }
      return state.waiting.filter { $0.namespace == namespace }.map(\.1)
    }
    for continuation in woken { continuation.resume() }
  }
}
