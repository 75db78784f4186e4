import LupineCore

/// Reduces a failing list of faults to a minimal one with delta debugging (Zeller and Hildebrandt, 2002).
///
/// The algorithm removes ever smaller parts until no single fault can be removed.
struct Shrinker {
  private(set) var faults: [InjectedFault]
  private(set) var runs = 0
  /// Whether the limit was reached before all lists were tried.
  private(set) var isStopped = false
  private let limit: Int
  private var parts = 1
  private var part = 0
  private var candidate: [InjectedFault] = []
  /// The lists that were tried, because the partition yields the same list more than once.
  private var tried: Set<[InjectedFault]> = []

  init(_ faults: [InjectedFault], limit: Int) {
    self.faults = faults
    self.limit = limit
  }

  /// Returns the next list to try; `nil` if no fault can be removed, or after too many tries.
  mutating func next() -> [InjectedFault]? {
    while let candidate = nextPart() {
      guard !tried.contains(candidate) else {
        part += 1
        continue
      }
      guard runs < limit else {
        isStopped = true
        return nil
      }
      tried.insert(candidate)
      self.candidate = candidate
      runs += 1
      return candidate
    }
    return nil
  }

  /// Returns the list without the next part; `nil` if every part has been tried at its smallest size.
  private mutating func nextPart() -> [InjectedFault]? {
    guard !faults.isEmpty else { return nil }
    if part == parts {
      guard parts < faults.count else { return nil }
      parts = min(faults.count, parts * 2)
      part = 0
    }
    let size = faults.count
    return Array(faults[..<(part * size / parts)] + faults[((part + 1) * size / parts)...])
  }

  /// Records the result of the last list.
  mutating func record(fails: Bool) {
    guard fails else {
      part += 1
      return
    }
    faults = candidate
    parts = max(min(parts - 1, faults.count), 1)
    part = 0
  }
}

/// The properties that two failures of a body share if they have the same cause.
struct FailureKind: Hashable {
  private let type: ObjectIdentifier
  /// The name of an enumeration case, without its associated values, which may differ with the faults.
  private let name: String?
  private let kind: LupineError.Kind?
  /// The expectation that was not met, without its message, which may contain a number that differs with the faults.
  private let expectation: UnmetExpectation?

  init(_ error: any Error) {
    type = ObjectIdentifier(Swift.type(of: error))
    let mirror = Mirror(reflecting: error)
    name = mirror.displayStyle == .enum ? mirror.children.first?.label ?? "\(error)" : nil
    let own = error as? LupineError
    kind = own?.kind
    expectation = own?.underlying as? UnmetExpectation
  }
}
