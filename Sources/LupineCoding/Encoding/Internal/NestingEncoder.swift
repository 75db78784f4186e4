import FoundationEssentials

/// Follows one value.
///
/// It is as small as it is so that no memory has to be made for it where it is passed as `any Encoder`.
struct NestingEncoder: Encoder {
  let state: NestingState
  var place: NestingPlace?
  var calls = 0

  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  var codingPath: [any CodingKey] { place?.path ?? [] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    noteContainer()
    return KeyedEncodingContainer(NestingKeyedContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    noteContainer()
    return NestingUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { NestingSingleValueContainer(encoder: self) }

  /// The encoder one level down; beyond the limit the path no longer grows, and the walk fails at its end.
  func nested(_ key: any CodingKey) -> NestingEncoder {
    noteContainer()
    guard !state.isTooDeep else { return self }
    var deeper = self
    deeper.place = NestingPlace(key, in: place)
    return deeper
  }

  private func noteContainer() {
    if let place, place.level >= EncodingDepth.maximumLevels { state.isTooDeep = true }
  }

  /// Whether encoders write values of a type themselves, or they hold nothing else, so that there is nothing to follow.
  static func isShallow<Value>(_ type: Value.Type) -> Bool {
    type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Data.self
      || type == Date.self || type == Int64.self || type == UInt8.self || type == URL.self || type == UUID.self
      || type == Decimal.self
  }

  /// Follows a value that is not shallow.
  func descend<Value: Encodable>(into value: Value) throws {
    guard !state.isTooDeep, calls < EncodingDepth.maximumCalls else { throw EncodingDepth.exceeded }
    var deeper = self
    deeper.calls += 1
    try value.encode(to: deeper)
  }
}
