/// Converts a finished response to a value.
///
/// It is called off the caller's actor, after validation, and only for responses that passed validation. An error that
/// it throws becomes the `underlying` error of kind `serializationFailed`; a `LupineError` is passed on unchanged.
public protocol ResponseSerializer<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable
  /// Makes the value.
  func serialize(_ response: ReceivedResponse) throws -> Output
}
