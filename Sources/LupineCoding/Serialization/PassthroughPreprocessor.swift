public import FoundationEssentials
public import LupineCore

/// Leaves the body as it is.
public struct PassthroughPreprocessor: DataPreprocessor {
  /// Makes the preprocessor.
  public init() {}

  /// Returns the same bytes.
  public func preprocess(_ data: Data) -> Data { data }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
  /// Leaves the body as it is.
  public static var passthrough: Self { Self() }
}
