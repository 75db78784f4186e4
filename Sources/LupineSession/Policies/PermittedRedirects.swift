public import HTTPTypes
public import LupineCore

/// The redirects that an interceptor permits for its request.
///
/// A redirect that the closure refuses is kept as the response, which the interceptor receives. The session's or the
/// request's redirector decides about the others. The closure is called with the head of each response that redirects, on
/// the request's task. A redirect keeps the option.
///
/// ```swift
/// var append = request
/// append.options[PermittedRedirects.self] = { [307, 308].contains($0.status.code) }
/// return try await next(append)
/// ```
public enum PermittedRedirects: RequestOptionKey {
  /// Returns whether the redirect may be followed.
  public typealias Value = (@Sendable (_ head: HTTPResponse) -> Bool)?

  /// All are permitted.
  public static var defaultValue: Value { nil }
}
