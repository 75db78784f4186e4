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
