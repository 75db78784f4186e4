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
