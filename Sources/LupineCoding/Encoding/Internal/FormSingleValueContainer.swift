/// Encodes a value that stands alone.
struct FormSingleValueContainer: SingleValueEncodingContainer {
  let encoder: FormValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.encodeNil() }
  func encode(_ value: Bool) { encoder.set(encoder.state.options.boolEncoding.text(for: value)) }
  func encode(_ value: String) { encoder.set(value) }
  func encode(_ value: Double) { encoder.set(value.description) }
  func encode(_ value: Float) { encoder.set(value.description) }
  func encode(_ value: Int) { encoder.set(String(value)) }
  func encode(_ value: Int8) { encoder.set(String(value)) }
  func encode(_ value: Int16) { encoder.set(String(value)) }
  func encode(_ value: Int32) { encoder.set(String(value)) }
  func encode(_ value: Int64) { encoder.set(String(value)) }
  func encode(_ value: Int128) { encoder.set(String(value)) }
  func encode(_ value: UInt) { encoder.set(String(value)) }
  func encode(_ value: UInt8) { encoder.set(String(value)) }
  func encode(_ value: UInt16) { encoder.set(String(value)) }
  func encode(_ value: UInt32) { encoder.set(String(value)) }
  func encode(_ value: UInt64) { encoder.set(String(value)) }
  func encode(_ value: UInt128) { encoder.set(String(value)) }
  func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}
