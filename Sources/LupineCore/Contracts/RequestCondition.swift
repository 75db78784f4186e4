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
