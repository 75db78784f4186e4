public import FoundationEssentials

/// Changes a response's body before it is made into a value.
///
/// It is not called for an empty body. What it throws becomes the `underlying` error of kind `serializationFailed`.
public protocol DataPreprocessor: Sendable {
  /// Returns the bytes to serialize.
  func preprocess(_ data: Data) throws -> Data
}

/// Leaves the body as it is.
public struct PassthroughPreprocessor: DataPreprocessor {
  /// Makes the preprocessor.
  public init() {}

  /// Returns the same bytes.
  public func preprocess(_ data: Data) -> Data { data }
}

/// Takes away the prefix `)]}',` and its line break, with which Google's servers keep JSON from being run as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
  private static let prefix = Array(")]}',\n".utf8)

  /// Makes the preprocessor.
  public init() {}

  /// Returns the bytes after the prefix, or all of them where there is none.
  public func preprocess(_ data: Data) -> Data {
    data.starts(with: Self.prefix) ? Data(data.dropFirst(Self.prefix.count)) : data
  }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
  /// Leaves the body as it is.
  public static var passthrough: Self { Self() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
  /// Takes away Google's prefix against cross-site script inclusion.
  public static var googleXSSI: Self { Self() }
}
