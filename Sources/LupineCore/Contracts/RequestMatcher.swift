public import FoundationEssentials
public import HTTPTypes

/// Tells whether a request is the one that is expected, and where it is not, what differs.
///
/// Stubs are found with it. It must not have effects and may be called concurrently, any number of times for one request.
/// A module adds its own through an extension of `RequestCondition`, so that it is found by leading dot.
public protocol RequestMatcher: Sendable {
  /// What it expects, in a few words that a person reads in an error, such as `query page=2`.
  var expectation: String { get }

  /// Returns what differs, in a few words such as `query page: expected 2, got 3`; `nil` where the request is as expected.
  ///
  /// The value of a secret field must not stand in it.
  func difference(from request: RequestSnapshot) -> String?

  /// Why no request can ever be what it expects, such as a path that cannot be read; `nil` where all is well.
  ///
  /// A stub with such a condition ends the requests that it might concern with kind `invalidStub`. Default: `nil`.
  var problem: String? { get }

  /// Whether the request's body may matter to the answer.
  ///
  /// One that says no is asked before a body is read that waits for 100 Continue, so that the request can be refused
  /// without it. Default: `true`.
  var readsBody: Bool { get }
}

extension RequestMatcher {
  /// All is well.
  public var problem: String? { nil }

  /// It may.
  public var readsBody: Bool { true }
}

/// One condition that a request meets or not, found by leading dot.
///
/// A module that brings matchers adds its own, as in
/// `extension RequestCondition { static func cookie(…) -> Self { Self(CookieMatcher(…)) } }`.
public struct RequestCondition: RequestMatcher {
  private let matcher: any RequestMatcher

  /// Leaves the question to a matcher.
  public init(_ matcher: some RequestMatcher) { self.matcher = matcher }

  /// What the matcher expects.
  public var expectation: String { matcher.expectation }

  /// What the matcher has against itself.
  public var problem: String? { matcher.problem }

  /// Whether the matcher may want the body.
  public var readsBody: Bool { matcher.readsBody }

  /// Asks the matcher.
  public func difference(from request: RequestSnapshot) -> String? { matcher.difference(from: request) }
}

/// A request as a matcher sees it: complete, its body gathered.
public struct RequestSnapshot: Sendable {
  /// The method.
  public var method: HTTPRequest.Method
  /// The URL.
  public var url: HTTPURL
  /// The fields, as they would go out.
  public var headers: HTTPFields
  /// The body's bytes; empty where there is none.
  public var body: Data
  /// The fields whose values a matcher must not show.
  ///
  /// Default: `SecretFields.standard`; where a stub's differences are told, those that the session marks, too.
  public var secretFields: SecretFields {
    get { markedFields ?? .standard }
    set { markedFields = newValue }
  }
  /// Nil as a rule, for a request is compared more often than shown.
  private var markedFields: SecretFields?

  /// Joins the parts of a request.
  public init(method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields = [:], body: Data = Data()) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}
