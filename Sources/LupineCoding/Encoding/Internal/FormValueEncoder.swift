import FoundationEssentials
import LupineCore

/// Encodes one value into one node.
struct FormValueEncoder: Encoder {
  let node: FormNode
  let state: FormEncodingState
  let codingPath: [any CodingKey]
  /// How many calls of `encode(to:)` lie above this one.
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

  /// The encoder for a new node one level down, which stays apart from the tree until it is attached.
  func nested(_ key: any CodingKey, node: FormNode = FormNode()) throws -> FormValueEncoder {
    guard codingPath.count < EncodingDepth.maximumLevels else { throw EncodingDepth.exceeded }
    return FormValueEncoder(node: node, state: state, codingPath: codingPath + [key], calls: calls)
  }

  /// The encoder for an attached container one level down; too deep, it leads nowhere and the run fails at its end.
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

  /// The types that are written otherwise than they encode themselves.
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
