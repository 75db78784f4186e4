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

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
  /// Takes away Google's prefix against cross-site script inclusion.
  public static var googleXSSI: Self { Self() }
}
