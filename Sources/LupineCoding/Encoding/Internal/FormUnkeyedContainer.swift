/// Encodes an array's elements.
struct FormUnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: FormValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.elements.count }
  private var key: PlainCodingKey { PlainCodingKey(intValue: count) }

  func encodeNil() throws { try add { $0.encodeNil() } }
  func encode(_ value: some Encodable) throws { try add { try $0.encode(value) } }
  func encode(_ value: Int128) throws { try add { $0.set(String(value)) } }
  func encode(_ value: UInt128) throws { try add { $0.set(String(value)) } }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    attached().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { attached().unkeyedContainer() }

  func superEncoder() -> any Encoder { attached() }

  private func add(_ encode: (FormValueEncoder) throws -> Void) throws {
    let element = try encoder.nested(key)
    try encode(element)
    guard element.node.kind != .nothing else { return }
    encoder.node.append(element.node)
  }

  private func attached() -> FormValueEncoder {
    encoder.container(key, attach: encoder.node.append)
  }
}
