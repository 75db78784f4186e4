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
