/// Which of a row of values are news: the first, and then what differs from the last report once it has held.
struct ChangeFilter<Value: Equatable> {
  enum Action: Equatable {
    case report(Value)
    /// Let `expire` be called when the value has held.
    case wait
    /// Nobody need wait any more.
    case stopWaiting
    case none
  }

  /// Whether a value must hold for some time.
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

  /// The value that has held.
  mutating func expire() -> Value? {
    guard let held else { return nil }
    self.held = nil
    reported = held
    return held
  }
}
