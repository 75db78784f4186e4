/// Values of any types, each stored under the type of its key.
///
/// The description shows no values, which may be secret.
struct KeyedValues: Sendable, HidesSecrets {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  var isEmpty: Bool { values.isEmpty }
  var description: String { "\(values.count) values" }

  /// The value of a key; `nil` removes it.
  subscript<Value: Sendable>(key: Any.Type, as type: Value.Type) -> Value? {
    get {
      // Unwrapped first: a cast of `nil` to an optional type would succeed.
      guard let value = values[ObjectIdentifier(key)] else { return nil }
      return value as? Value
    }
    set {
      if let newValue {
        values[ObjectIdentifier(key)] = newValue
      } else {
        values[ObjectIdentifier(key)] = nil
      }
    }
  }
}
