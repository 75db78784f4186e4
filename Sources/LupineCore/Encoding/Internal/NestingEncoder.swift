import FoundationEssentials

/// Follows one value.
struct NestingEncoder: Encoder {
  let state: NestingState
  let userInfo: [CodingUserInfoKey: Any]
  var codingPath: [any CodingKey]
  var calls = 0

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(NestingKeyedContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { NestingUnkeyedContainer(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer { NestingSingleValueContainer(encoder: self) }

  /// The encoder one level down; beyond the limit the path no longer grows, and the walk fails at its end.
  func nested(_ key: any CodingKey) -> NestingEncoder {
    guard codingPath.count < EncodingDepth.maximumLevels else {
      state.isTooDeep = true
      return self
    }
    var deeper = self
    deeper.codingPath.append(key)
    return deeper
  }

  func descend<Value: Encodable>(into value: Value) throws {
    guard !(Value.self is any Shallow.Type) else { return }
    guard !state.isTooDeep, calls < EncodingDepth.maximumCalls else { throw EncodingDepth.exceeded }
    var deeper = self
    deeper.calls += 1
    try value.encode(to: deeper)
  }
}

/// Types that encoders write themselves or that hold nothing else.
private protocol Shallow {}

extension Data: Shallow {}

extension Date: Shallow {}

extension Decimal: Shallow {}

extension URL: Shallow {}

extension UUID: Shallow {}

extension String: Shallow {}

extension Bool: Shallow {}

extension Int: Shallow {}

extension Int64: Shallow {}

extension Double: Shallow {}
