import LupineCore
import LupineFoundation

/// Encodes one value into one node.
struct FormValueEncoder: Encoder {
  let node: FormNode
  let state: FormEncodingState
  let codingPath: [any CodingKey]
  /// The number of enclosing calls of `encode(to:)`.
  var calls = 0

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    become(.object)
    return KeyedEncodingContainer(FormKeyedContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    become(.array)
    return FormUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    FormSingleValueContainer(encoder: self)
  }

  /// Returns the encoder for a new node one level down, which is not part of the tree until it is attached.
  func nested(_ key: any CodingKey, node: FormNode = FormNode()) throws -> FormValueEncoder {
    guard codingPath.count < EncodingDepth.maximumLevels else { throw EncodingDepth.exceeded }
    return FormValueEncoder(node: node, state: state, codingPath: codingPath + [key], calls: calls)
  }

  /// Returns the encoder for an attached container one level down; beyond the limit the container is not attached and
  /// the run fails at its end.
  func container(_ key: any CodingKey, attach: (FormNode) -> Void, existing: FormNode? = nil) -> FormValueEncoder {
    let child = existing ?? FormNode()
    guard let encoder = try? nested(key, node: child) else {
      state.fail(EncodingDepth.exceeded)
      return FormValueEncoder(node: FormNode(), state: state, codingPath: codingPath, calls: calls)
    }
    if existing == nil { attach(child) }
    return encoder
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let text = try text(for: value) { return set(text) }
    guard calls < EncodingDepth.maximumCalls else { throw EncodingDepth.exceeded }
    var deeper = self
    deeper.calls += 1
    try value.encode(to: deeper)
  }

  func encodeNil() {
    if let text = state.options.nilEncoding.text { set(text) }
  }

  func set(_ text: String) {
    if !node.set(text) { state.fail(Self.contradiction(codingPath)) }
  }

  private func become(_ kind: FormNode.Kind) {
    if !node.become(kind) { state.fail(Self.contradiction(codingPath)) }
  }

  /// Returns the text for types that are not written with their own encoding.
  private func text<Value: Encodable>(for value: Value) throws -> String? {
    switch Value.self {
    case is Date.Type: try (value as? Date).flatMap(state.options.dateEncoding.text)
    case is Data.Type: try (value as? Data).flatMap(state.options.dataEncoding.text)
    case is Decimal.Type: (value as? Decimal)?.description
    case is URL.Type: (value as? URL)?.absoluteString
    default: nil
    }
  }

  private static func contradiction(_ path: [any CodingKey]) -> LupineError {
    let place = path.isEmpty ? "the root" : "'\(path.map(\.stringValue).joined(separator: "."))'"
    return LupineError(
      .parameterEncodingFailed, "The value at \(place) encodes as two different kinds of container.")
  }
}

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

  /// Adds a member; a member that writes nothing is omitted.
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

// The default `encodeIfPresent` would skip `nil` before `nilEncoding` applies.
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

/// Encodes a single value.
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

/// The state that all encoders and containers of one run share.
final class FormEncodingState {
  let options: URLEncodedFormEncoder
  /// The first failure of a call that cannot throw; the run throws it at its end.
  private(set) var failure: LupineError?

  init(options: URLEncodedFormEncoder) { self.options = options }

  func fail(_ error: LupineError) {
    if failure == nil { failure = error }
  }
}
