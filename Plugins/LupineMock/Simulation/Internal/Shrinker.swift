/// Finds few faults that still fail: delta debugging (Zeller and Hildebrandt, 2002), which takes away ever smaller parts
/// until no single one can go.
struct Shrinker {
  private(set) var faults: [InjectedFault]
  private(set) var runs = 0
  /// Whether the limit was reached with a list left to try.
  private(set) var isStopped = false
  private let limit: Int
  private var parts = 1
  private var part = 0
  private var candidate: [InjectedFault] = []
  /// The division into parts gives the same list more than once.
  private var tried: Set<[InjectedFault]> = []

  init(_ faults: [InjectedFault], limit: Int) {
    self.faults = faults
    self.limit = limit
  }

  /// The next list to try; nil when no fault can go, or after too many tries.
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

  /// What is left without the part that is to be looked at; nil when each has been, at its smallest.
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

  /// Takes the answer for the last list.
  mutating func take(fails: Bool) {
    guard fails else {
      part += 1
      return
    }
    faults = candidate
    parts = max(min(parts - 1, faults.count), 1)
    part = 0
  }
}
