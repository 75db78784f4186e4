import Synchronization

/// A value behind a lock.
final class Locked<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func change(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
}
