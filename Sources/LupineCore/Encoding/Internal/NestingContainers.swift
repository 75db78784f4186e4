/// Follows an object's members.
struct NestingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NestingEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) {}
  func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.nested(key).descend(into: value) }
  func encode(_ value: Int128, forKey key: Key) {}
  func encode(_ value: UInt128, forKey key: Key) {}

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.nested(FormCodingKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key) }
}

/// Follows an array's elements.
struct NestingUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: NestingEncoder
  private(set) var count = 0

  init(encoder: NestingEncoder) { self.encoder = encoder }

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { count += 1 }
  mutating func encode(_ value: some Encodable) throws { try next().descend(into: value) }
  mutating func encode(_ value: Int128) { count += 1 }
  mutating func encode(_ value: UInt128) { count += 1 }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { next() }

  private mutating func next() -> NestingEncoder {
    defer { count += 1 }
    return encoder.nested(FormCodingKey(intValue: count))
  }
}

/// Follows a value that stands alone.
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
  func encode(_ value: some Encodable) throws { try encoder.descend(into: value) }
}
