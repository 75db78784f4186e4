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

  func encode<Value: Encodable>(_ value: Value) throws {
    if !NestingEncoder.isShallow(Value.self) { try encoder.descend(into: value) }
  }
}
