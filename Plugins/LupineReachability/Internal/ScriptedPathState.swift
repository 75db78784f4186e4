/// The state of a `ScriptedPath`.
struct ScriptedPathState {
  typealias Handler = @Sendable (NetworkPath) -> Void

  private struct Watcher {
    let host: String?
    let handler: Handler
    var shown: NetworkPath?
  }

  private var path: NetworkPath
  private var hostPaths: [String: NetworkPath] = [:]
  private var watchers: [UInt64: Watcher] = [:]
  private var lastID: UInt64 = 0
  private var deliveries: [(id: UInt64, path: NetworkPath)] = []
  private var isDelivering = false
  private var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []

  init(_ path: NetworkPath) { self.path = path }

  var watcherCount: Int { watchers.count }

  func path(to host: String?) -> NetworkPath { host.flatMap { hostPaths[$0] } ?? path }

  /// Changes the network; returns whether the caller must make the pending calls.
  mutating func set(_ path: NetworkPath, to host: String?) -> Bool {
    if let host { hostPaths[host] = path } else { self.path = path }
    for id in watchers.keys.sorted() { tell(id) }
    return beginDelivery()
  }

  /// Adds a watcher; returns whether the caller must make the pending calls.
  mutating func add(_ host: String?, _ handler: @escaping Handler) -> (id: UInt64, delivers: Bool) {
    lastID += 1
    watchers[lastID] = Watcher(host: host, handler: handler)
    tell(lastID)
    return (lastID, beginDelivery())
  }

  mutating func remove(_ id: UInt64) { watchers[id] = nil }

  /// Returns the next call; `nil` ends the delivery.
  mutating func nextDelivery() -> (handler: Handler, path: NetworkPath)? {
    while !deliveries.isEmpty {
      let (id, path) = deliveries.removeFirst()
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

  mutating func takeSatisfied() -> [CheckedContinuation<Void, Never>] {
    defer { waiting.removeAll { $0.count <= watchers.count } }
    return waiting.filter { $0.count <= watchers.count }.map(\.1)
  }

  private mutating func tell(_ id: UInt64) {
    let path = path(to: watchers[id]?.host)
    guard watchers[id]?.shown != path else { return }
    watchers[id]?.shown = path
    deliveries.append((id, path))
  }

  private mutating func beginDelivery() -> Bool {
    guard !isDelivering, !deliveries.isEmpty else { return false }
    isDelivering = true
    return true
  }
}
