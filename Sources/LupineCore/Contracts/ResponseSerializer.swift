/// Converts a finished response to a value.
///
/// The session calls the serializer off the caller's actor and off the transport's threads, once for each value that
/// the program asks for, and only for responses that passed validation. Calls may be concurrent. A serializer must not
/// validate the status or wait for anything.
///
/// This serializer counts the lines of a body:
///
/// ```swift
/// struct LineCountSerializer: ResponseSerializer {
///   func serialize(_ response: ReceivedResponse) throws -> Int {
///     response.data.split(separator: UInt8(ascii: "\n")).count
///   }
/// }
/// ```
public protocol ResponseSerializer<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Returns the value of a response.
  ///
  /// - Throws: any error, which becomes the `underlying` error of kind `serializationFailed`. A `LupineError` is passed
  ///   on unchanged.
  func serialize(_ response: ReceivedResponse) throws -> Output
}
