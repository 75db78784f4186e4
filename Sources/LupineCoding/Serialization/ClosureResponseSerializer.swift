public import LupineCore

/// Makes what a closure makes of a response.
public struct ClosureResponseSerializer<Output: Sendable>: ResponseSerializer {
  private let closure: @Sendable (ReceivedResponse) throws -> Output

  /// Takes the closure, which is called off the caller's actor and also for empty responses.
  public init(_ closure: @escaping @Sendable (ReceivedResponse) throws -> Output) { self.closure = closure }

  /// Returns what the closure returns, and throws what it throws.
  public func serialize(_ response: ReceivedResponse) throws -> Output { try closure(response) }
}

extension ResponseSerializer {
  /// What the closure makes of the response.
  public static func closure<Value>(
    _ closure: @escaping @Sendable (ReceivedResponse) throws -> Value
  ) -> Self where Self == ClosureResponseSerializer<Value> {
    ClosureResponseSerializer(closure)
  }
}

/// Lets a serializer that a program made decode with what its session decodes with, where it names no decoder itself.
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
