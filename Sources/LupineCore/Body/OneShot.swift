import Synchronization

/// Gives its value away once.
final class OneShot<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value) { self.value = Mutex(value) }

  func take() throws -> Value {
    let taken = value.withLock { value in
      defer { value = nil }
      return value
    }
    guard let taken else {
      throw LupineError(
        .bodyFailed, "This body is a one-shot stream and has been sent already; it cannot be sent again.")
    }
    return taken
  }
}
