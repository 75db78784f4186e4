import LupineFoundation

/// Walks a value as an encoder would, without writing, and refuses a value that is nested too deep.
///
/// Foundation's encoders recurse without a limit, so a value that contains itself would overflow the stack.
enum NestingCheck {
  static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
    if let values = (value as? Parameters)?.values ?? value as? [String: JSONValue] {
      guard !JSONValue.object(values).isDeeper(than: EncodingDepth.maximumLevels) else {
        throw EncodingDepth.exceeded
      }
      return
    }
    guard !NestingEncoder.isShallow(type(of: value)) else { return }
    let state = NestingState(userInfo: userInfo)
    try NestingEncoder(state: state).descend(into: value)
    if state.isTooDeep { throw EncodingDepth.exceeded }
  }
}

/// Follows one value.
struct NestingEncoder: Encoder {
  let state: NestingState
  var place: NestingPlace?
  var calls = 0

  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  var codingPath: [any CodingKey] { place?.path ?? [] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    noteContainer()
    return KeyedEncodingContainer(NestingKeyedContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    noteContainer()
    return NestingUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { NestingSingleValueContainer(encoder: self) }

  /// Returns the encoder one level down; beyond the limit the path no longer grows, and the walk fails at its end.
  func nested(_ key: any CodingKey) -> NestingEncoder {
    noteContainer()
    guard !state.isTooDeep else { return self }
    var deeper = self
    deeper.place = NestingPlace(key, in: place)
    return deeper
  }

  private func noteContainer() {
    if let place, place.level >= EncodingDepth.maximumLevels { state.isTooDeep = true }
  }

  /// Whether values of a type need no check: encoders write them directly, or they hold only such values.
  static func isShallow<Value>(_ type: Value.Type) -> Bool {
    type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Data.self
      || type == Date.self || type == Int64.self || type == UInt8.self || type == URL.self || type == UUID.self
      || type == Decimal.self
  }

  /// Follows a value that is not shallow.
  func descend<Value: Encodable>(into value: Value) throws {
    guard !state.isTooDeep, calls < EncodingDepth.maximumCalls else { throw EncodingDepth.exceeded }
    var deeper = self
    deeper.calls += 1
    try value.encode(to: deeper)
  }
}

/// Follows an object's members.
struct NestingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NestingEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) {}
  func encode(_ value: Bool, forKey key: Key) {}
  func encode(_ value: String, forKey key: Key) {}
  func encode(_ value: Double, forKey key: Key) {}
  func encode(_ value: Float, forKey key: Key) {}
  func encode(_ value: Int, forKey key: Key) {}
  func encode(_ value: Int8, forKey key: Key) {}
  func encode(_ value: Int16, forKey key: Key) {}
  func encode(_ value: Int32, forKey key: Key) {}
  func encode(_ value: Int64, forKey key: Key) {}
  func encode(_ value: Int128, forKey key: Key) {}
  func encode(_ value: UInt, forKey key: Key) {}
  func encode(_ value: UInt8, forKey key: Key) {}
  func encode(_ value: UInt16, forKey key: Key) {}
  func encode(_ value: UInt32, forKey key: Key) {}
  func encode(_ value: UInt64, forKey key: Key) {}
  func encode(_ value: UInt128, forKey key: Key) {}

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if NestingEncoder.isShallow(Value.self) { return }
    try encoder.nested(key).descend(into: value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.nested(PlainCodingKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key) }
}

/// Follows an array's elements.
struct NestingUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: NestingEncoder
  private(set) var count = 0

  init(encoder: NestingEncoder) { self.encoder = encoder }

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { count += 1 }
  mutating func encode(_ value: Bool) { count += 1 }
  mutating func encode(_ value: String) { count += 1 }
  mutating func encode(_ value: Double) { count += 1 }
  mutating func encode(_ value: Float) { count += 1 }
  mutating func encode(_ value: Int) { count += 1 }
  mutating func encode(_ value: Int8) { count += 1 }
  mutating func encode(_ value: Int16) { count += 1 }
  mutating func encode(_ value: Int32) { count += 1 }
  mutating func encode(_ value: Int64) { count += 1 }
  mutating func encode(_ value: Int128) { count += 1 }
  mutating func encode(_ value: UInt) { count += 1 }
  mutating func encode(_ value: UInt8) { count += 1 }
  mutating func encode(_ value: UInt16) { count += 1 }
  mutating func encode(_ value: UInt32) { count += 1 }
  mutating func encode(_ value: UInt64) { count += 1 }
  mutating func encode(_ value: UInt128) { count += 1 }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    if NestingEncoder.isShallow(Value.self) { count += 1 } else { try next().descend(into: value) }
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { next() }

  private mutating func next() -> NestingEncoder {
    defer { count += 1 }
    return encoder.nested(PlainCodingKey(intValue: count))
  }
}

/// Follows a single value.
struct NestingSingleValueContainer: SingleValueEncodingContainer {
  let encoder: NestingEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() {}
  func encode(_ value: Bool) {}
  func encode(_ value: String) {}
  func encode(_ value: Double) {}
  func encode(_ value: Float) {}
  func encode(_ value: Int) {}
  func encode(_ value: Int8) {}
  func encode(_ value: Int16) {}
  func encode(_ value: Int32) {}
  func encode(_ value: Int64) {}
  func encode(_ value: Int128) {}
  func encode(_ value: UInt) {}
  func encode(_ value: UInt8) {}
  func encode(_ value: UInt16) {}
  func encode(_ value: UInt32) {}
  func encode(_ value: UInt64) {}
  func encode(_ value: UInt128) {}

  func encode<Value: Encodable>(_ value: Value) throws {
    if !NestingEncoder.isShallow(Value.self) { try encoder.descend(into: value) }
  }
}

/// The position of a value: a name, and the position of its container.
final class NestingPlace {
  let level: Int
  private let key: any CodingKey
  private let parent: NestingPlace?

  init(_ key: any CodingKey, in parent: NestingPlace?) {
    self.key = key
    self.parent = parent
    level = (parent?.level ?? 0) + 1
  }

  /// The names from the outermost to this one.
  var path: [any CodingKey] {
    var path: [any CodingKey] = []
    path.reserveCapacity(level)
    var place: NestingPlace? = self
    while let current = place {
      path.append(current.key)
      place = current.parent
    }
    path.reverse()
    return path
  }
}

/// The state that a whole walk shares: the encoder's settings, and the failure of a call that cannot throw.
final class NestingState {
  let userInfo: [CodingUserInfoKey: Any]
  var isTooDeep = false

  init(userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }
}
