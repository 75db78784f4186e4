public import HTTPTypes
public import LupineCore
public import LupineSession

/// Decides for a request or a session what is stored of a response, besides the rules of RFC 9111.
///
/// A cacher cannot store what the protocol forbids. It applies to responses of the server, not to the answers of the
/// cache.
public struct ResponseCacher: Sendable, RequestOptionKey {
  /// Returns the head to store for a response; `nil` stores nothing.
  let change: @Sendable (HTTPResponse, OutgoingRequest) -> HTTPResponse?

  /// Stores each response that the protocol permits to store.
  public static let cache = ResponseCacher { head, _ in head }

  /// Stores no response.
  public static let doNotCache = ResponseCacher { _, _ in nil }

  /// Stores each response with the head that the closure returns.
  ///
  /// The head that the closure returns decides about storage and freshness; the program receives the head of the
  /// server. The content stays.
  ///
  /// - Parameter change: returns the head to store; `nil` stores nothing. It is called in the task of the exchange, with
  ///   the head of the response and the request; calls may be concurrent.
  public static func modify(
    _ change: @escaping @Sendable (HTTPResponse, OutgoingRequest) -> HTTPResponse?
  ) -> ResponseCacher {
    ResponseCacher(change: change)
  }

  /// The cacher of a request without one: that of the session.
  public static var defaultValue: ResponseCacher? { nil }
}

extension SessionRequest {
  /// Sets what is stored of the response to this request, in the place of the session's cacher.
  @discardableResult
  public func cacheResponse(using cacher: ResponseCacher) -> Self { option(ResponseCacher.self, cacher) }
}
