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
    return encoder.nested(PlainCodingKey(intValue: count))
  }
}
