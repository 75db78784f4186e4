import Synchronization

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
