public import LupineCore
public import LupineFoundation

/// Serializes a response with a closure.
public struct ClosureResponseSerializer<Output: Sendable>: ResponseSerializer {
  private let closure: @Sendable (ReceivedResponse) throws -> Output

  /// Makes a serializer from a closure.
  ///
  /// The closure is called once for each value, also for an empty response, off the caller's actor and off the
  /// transport's threads. Calls may be concurrent.
  public init(_ closure: @escaping @Sendable (ReceivedResponse) throws -> Output) { self.closure = closure }

  /// Returns what the closure returns, and throws what it throws.
  public func serialize(_ response: ReceivedResponse) throws -> Output { try closure(response) }
}

extension ResponseSerializer {
  /// Serializes the response with a closure, which is called as `ResponseSerializer` describes.
  public static func closure<Value>(
    _ closure: @escaping @Sendable (ReceivedResponse) throws -> Value
  ) -> Self where Self == ClosureResponseSerializer<Value> {
    ClosureResponseSerializer(closure)
  }
}

/// Leaves the body unchanged.
public struct PassthroughPreprocessor: DataPreprocessor {
  /// Makes the preprocessor.
  public init() {}

  /// Returns the same bytes.
  public func preprocess(_ data: Data) -> Data { data }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
  /// Leaves the body unchanged.
  public static var passthrough: Self { Self() }
}

/// Removes the prefix `)]}',` and its line break, which Google's servers add so that JSON cannot run as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
  private static let prefix = Array(")]}',\n".utf8)

  /// Makes the preprocessor.
  public init() {}

  /// Returns the bytes after the prefix, or all bytes if there is no prefix.
  public func preprocess(_ data: Data) -> Data {
    data.starts(with: Self.prefix) ? Data(data.dropFirst(Self.prefix.count)) : data
  }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
  /// Removes Google's prefix against cross-site script inclusion.
  public static var googleXSSI: Self { Self() }
}
