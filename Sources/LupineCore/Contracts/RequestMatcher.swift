public import HTTPTypes
public import LupineFoundation

/// Compares a request with an expectation and describes the difference.
///
/// Stubs select requests with matchers. A matcher must not have side effects. It may be called concurrently, and any
/// number of times for one request. A module adds its matchers in an extension of `RequestCondition`, so that
/// leading-dot syntax finds them.
public protocol RequestMatcher: Sendable {
  /// The expectation in a few words for an error message, such as `query page=2`.
  var expectation: String { get }

  /// Returns the difference in a few words, such as `query page: expected 2, got 3`; `nil` if the request matches.
  ///
  /// The text must not contain the value of a secret field.
  func difference(from request: RequestSnapshot) -> String?

  /// The reason why no request can match, such as an invalid path; `nil` if the matcher is valid.
  ///
  /// A stub with such a matcher ends the requests that it could match with kind `invalidStub`. Default: `nil`.
  var problem: String? { get }

  /// Whether the result may depend on the request's body.
  ///
  /// A matcher that returns `false` is called before the body of a request with `Expect: 100-continue` is read, so that
  /// the request can be refused without its body. Default: `true`.
  var readsBody: Bool { get }
}

extension RequestMatcher {
  /// Returns `nil`.
  public var problem: String? { nil }

  /// Returns `true`.
  public var readsBody: Bool { true }
}

/// A condition for a request, available with leading-dot syntax.
///
/// A module that has matchers adds its own, as in `extension RequestCondition { static func cookie(…) -> Self {
/// Self(CookieMatcher(…)) } }`.
public struct RequestCondition: RequestMatcher {
  private let matcher: any RequestMatcher

  /// Wraps a matcher.
  public init(_ matcher: some RequestMatcher) { self.matcher = matcher }

  /// The expectation of the matcher.
  public var expectation: String { matcher.expectation }

  /// The problem of the matcher.
  public var problem: String? { matcher.problem }

  /// Whether the result of the matcher may depend on the body.
  public var readsBody: Bool { matcher.readsBody }

  /// Calls the matcher.
  public func difference(from request: RequestSnapshot) -> String? { matcher.difference(from: request) }
}

/// A complete request with its collected body, as a matcher receives it.
public struct RequestSnapshot: Sendable {
  /// The method.
  public var method: HTTPRequest.Method
  /// The URL.
  public var url: HTTPURL
  /// The fields as they would be sent.
  public var headers: HTTPFields
  /// The bytes of the body; empty if there is none.
  public var body: Data
  /// The fields whose values a matcher must not show.
  ///
  /// Default: `SecretFields.standard`. When a session reports the differences of a stub, it adds the fields that it
  /// marks as secret.
  public var secretFields: SecretFields {
    get { markedFields ?? .standard }
    set { markedFields = newValue }
  }
  /// Stored only if set.
  private var markedFields: SecretFields?

  /// Creates a snapshot.
  public init(method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields = [:], body: Data = Data()) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}
