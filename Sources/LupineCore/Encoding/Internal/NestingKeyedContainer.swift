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

  func superEncoder() -> any Encoder { encoder.nested(PlainCodingKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key) }
}
