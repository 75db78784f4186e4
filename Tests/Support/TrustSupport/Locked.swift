import Synchronization

/// A value behind a lock.
package final class Locked<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  package init(_ value: Value) { state = Mutex(value) }

  package var value: Value { state.withLock { $0 } }

  package func change(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
}
