/// Selects the values to report: the first, and every value that differs from the last report after the debounce time.
struct ChangeFilter<Value: Equatable> {
  enum Action: Equatable {
    case report(Value)
    /// Start the debounce timer, which calls `expire`.
    case wait
    /// Cancel the debounce timer.
    case stopWaiting
    case none
  }

  /// Whether a change must last for the debounce time.
  let waits: Bool
  private(set) var reported: Value?
  private var held: Value?

  init(waits: Bool) { self.waits = waits }

  mutating func receive(_ value: Value) -> Action {
    if value == reported {
      defer { held = nil }
      return held == nil ? .none : .stopWaiting
    }
    guard waits, reported != nil else {
      reported = value
      return .report(value)
    }
    if value == held { return .none }
    held = value
    return .wait
  }

  /// Returns the value that lasted for the debounce time.
  mutating func expire() -> Value? {
    guard let held else { return nil }
    self.held = nil
    reported = held
    return held
  }
}
