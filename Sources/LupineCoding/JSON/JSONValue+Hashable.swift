extension JSONValue: Hashable {
  /// Compares by meaning: numbers by value, objects regardless of the order of their members.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    // A worklist instead of recursion, so that a deep value does not overflow the stack.
    var pending: [(JSONValue, JSONValue)] = []
    guard matches(left, right, pending: &pending) else { return false }
    while let (left, right) = pending.popLast() {
      guard matches(left, right, pending: &pending) else { return false }
    }
    return true
  }

  private static func matches(
    _ left: JSONValue, _ right: JSONValue, pending: inout [(JSONValue, JSONValue)]
  ) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.string(let left), .string(let right)): return left == right
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return false }
      pending.append(contentsOf: zip(left, right))
      return true
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      for (key, value) in left {
        guard let other = right[key] else { return false }
        pending.append((value, other))
      }
      return true
    default: return numbersMatch(left, right)
    }
  }

  private static func numbersMatch(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.unsignedInteger(let left), .unsignedInteger(let right)): left == right
    case (.integer(let left), .unsignedInteger(let right)): left == right
    case (.unsignedInteger(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.number(let number), let other), (let other, .number(let number)): other.isInteger(number)
    default: false
    }
  }

  private func isInteger(_ number: Double) -> Bool {
    switch self {
    case .integer(let value): Int64(exactly: number) == value
    case .unsignedInteger(let value): UInt64(exactly: number) == value
    default: false
    }
  }

  /// Hashes the first levels of the value, which bounds the work for a deep value.
  public func hash(into hasher: inout Hasher) {
    hash(into: &hasher, levels: 8)
  }

  private func hash(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsignedInteger(let value): hasher.combine(value)
    case .number(let value): Self.hash(value, into: &hasher)
    case .string(let value): hasher.combine(value)
    case .array(let elements):
      hasher.combine(elements.count)
      guard levels > 0 else { return }
      for element in elements { element.hash(into: &hasher, levels: levels - 1) }
    case .object(let members):
      // Only the names are hashed, regardless of order; equality compares the members.
      hasher.combine(members.count)
      hasher.combine(Set(members.keys))
    }
  }

  /// Hashes a number as the integer that it equals, if any.
  private static func hash(_ number: Double, into hasher: inout Hasher) {
    if let signed = Int64(exactly: number) {
      hasher.combine(signed)
    } else if let unsigned = UInt64(exactly: number) {
      hasher.combine(unsigned)
    } else {
      hasher.combine(number)
    }
  }
}
