/// Makes a value of a finished response.
///
/// It is called off the caller's actor, after validation, and only for responses that passed it. What it throws becomes
/// the `underlying` error of kind `serializationFailed`; a `LupineError` is passed on as it is.
public protocol ResponseSerializer<Output>: Sendable {
  /// What it makes.
  associatedtype Output: Sendable
  /// Makes the value.
  func serialize(_ response: ReceivedResponse) throws -> Output
}
