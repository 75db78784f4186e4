/// Encodes an object's members.
struct FormKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: FormValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) throws { try add(key) { $0.encodeNil() } }
  func encode(_ value: some Encodable, forKey key: Key) throws { try add(key) { try $0.encode(value) } }
  func encode(_ value: Int128, forKey key: Key) throws { try add(key) { $0.set(String(value)) } }
  func encode(_ value: UInt128, forKey key: Key) throws { try add(key) { $0.set(String(value)) } }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    attached(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    attached(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { attached(PlainCodingKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder { attached(key) }

  /// A member that writes nothing leaves no trace.
  private func add(_ key: any CodingKey, _ encode: (FormValueEncoder) throws -> Void) throws {
    let member = try encoder.nested(key)
    try encode(member)
    guard member.node.kind != .nothing else { return }
    encoder.node.set(member.node, forKey: key.stringValue)
  }

  private func attached(_ key: any CodingKey) -> FormValueEncoder {
    encoder.container(
      key, attach: { encoder.node.set($0, forKey: key.stringValue) },
      existing: encoder.node.member(key.stringValue))
  }
}

// Left to its default, `encodeIfPresent` would pass over `nil` before the options have their say.
extension FormKeyedContainer {
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try addOptional(value, key) }

  private func addOptional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
    try add(key) { member in
      if let value { try member.encode(value) } else { member.encodeNil() }
    }
  }
}
