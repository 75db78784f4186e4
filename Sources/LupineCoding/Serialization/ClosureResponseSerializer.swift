public import LupineCore

/// Serializes a response with a closure.
public struct ClosureResponseSerializer<Output: Sendable>: ResponseSerializer {
  private let closure: @Sendable (ReceivedResponse) throws -> Output

  /// Makes a serializer from a closure, which is called off the caller's actor and also for empty responses.
  public init(_ closure: @escaping @Sendable (ReceivedResponse) throws -> Output) { self.closure = closure }

  /// Returns what the closure returns, and throws what it throws.
  public func serialize(_ response: ReceivedResponse) throws -> Output { try closure(response) }
}

extension ResponseSerializer {
  /// Serializes the response with a closure.
  public static func closure<Value>(
    _ closure: @escaping @Sendable (ReceivedResponse) throws -> Value
  ) -> Self where Self == ClosureResponseSerializer<Value> {
    ClosureResponseSerializer(closure)
  }
}

/// Makes a program's serializer use the session's decoder, unless the serializer names a decoder itself.
package struct SessionBoundSerializer<Base: ResponseSerializer>: ResponseSerializer {
  private let base: Base
  private let defaults: DecodingDefaults

  package init(_ base: Base, _ defaults: DecodingDefaults) {
    self.base = base
    self.defaults = defaults
  }

  package func serialize(_ response: ReceivedResponse) throws -> Base.Output {
    var response = response
    response.decodingDefaults = defaults
    return try base.serialize(response)
  }
}
