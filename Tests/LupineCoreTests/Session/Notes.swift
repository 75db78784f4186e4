import Synchronization

/// Values from several threads, in the order in which they were added.
final class Notes<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  func add(_ value: Value) { values.withLock { $0.append(value) } }

  var all: [Value] { values.withLock { $0 } }
}
