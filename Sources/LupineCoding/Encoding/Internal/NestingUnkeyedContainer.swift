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
