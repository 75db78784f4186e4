public import FoundationEssentials

/// Changes a response's body before it is made into a value.
///
/// It is not called for an empty body. What it throws becomes the `underlying` error of kind `serializationFailed`.
public protocol DataPreprocessor: Sendable {
  /// Returns the bytes to serialize.
  func preprocess(_ data: Data) throws -> Data
}
