import LupineCore

/// How far an encoder follows a value into itself before it refuses, so that no value overflows the stack.
enum EncodingDepth {
  /// Levels of keyed and unkeyed containers.
  static let maximumLevels = JSONValue.maximumDepth
  /// Calls of `encode(to:)` inside each other: some types wrap a value several times for each level.
  static let maximumCalls = 4 * maximumLevels

  /// Made once: an encoder that goes on after it asks for it again at every level.
  static let exceeded = LupineError(
    .parameterEncodingFailed,
    "The parameters are nested more than \(maximumLevels) levels deep, or contain themselves.")
}
