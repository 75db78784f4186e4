/// Finds few faults that still fail: delta debugging (Zeller and Hildebrandt, 2002), which takes away ever smaller parts
/// until no single one can go.
struct Shrinker {
  private(set) var faults: [InjectedFault]
  private(set) var runs = 0
  private let limit: Int
  private var parts = 1
  private var part = 0
  private var candidate: [InjectedFault] = []

  init(_ faults: [InjectedFault], limit: Int) {
    self.faults = faults
    self.limit = limit
  }

  /// The next list to try; nil when no fault can go, or after too many tries.
  mutating func next() -> [InjectedFault]? {
    guard !faults.isEmpty, runs < limit else { return nil }
    if part == parts {
      guard parts < faults.count else { return nil }
      parts = min(faults.count, parts * 2)
      part = 0
    }
    let size = faults.count
    candidate = Array(faults[..<(part * size / parts)] + faults[((part + 1) * size / parts)...])
    runs += 1
    return candidate
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
