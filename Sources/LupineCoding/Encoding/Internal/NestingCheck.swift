/// Walks a value as an encoder would, writes nothing, and refuses it where it nests too deep.
///
/// Foundation's encoders recurse without bound, so a value that contains itself would overflow the stack in them.
enum NestingCheck {
  static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
    if let parameters = value as? Parameters {
      guard !JSONValue.object(parameters).isDeeper(than: EncodingDepth.maximumLevels) else {
        throw EncodingDepth.exceeded
      }
      return
    }
    guard !NestingEncoder.isShallow(type(of: value)) else { return }
    let state = NestingState(userInfo: userInfo)
    try NestingEncoder(state: state).descend(into: value)
    if state.isTooDeep { throw EncodingDepth.exceeded }
  }
}
