/// The change that an interceptor makes to the context of each exchange of its request.
///
/// An interceptor stands above the exchanges, of which a redirect or a challenge needs several. With this option it observes
/// them, or states the position of their body in a longer upload. The session calls the closure with the context of each
/// exchange, in the request's task, before the layers and the transport receive it. A redirect keeps the option.
///
/// ```swift
/// var rest = request
/// rest.body = try request.body.suffix(from: offset)
/// rest.options[ExchangeContextChange.self] = { $0.continuingUpload(at: offset) }
/// return try await next(rest)
/// ```
public enum ExchangeContextChange: RequestOptionKey {
  /// Returns the context to use.
  public typealias Value = (@Sendable (TransferContext) -> TransferContext)?

  /// No change.
  public static var defaultValue: Value { nil }
}
