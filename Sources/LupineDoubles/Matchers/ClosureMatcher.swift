public import LupineCore

/// Evaluates a condition with a closure.
struct ClosureMatcher: RequestMatcher {
  let expectation: String
  let isMet: @Sendable (RequestSnapshot) throws -> Bool

  func difference(from request: RequestSnapshot) -> String? {
    do {
      return try isMet(request) ? nil : "\(expectation): not met"
    } catch {
      return "\(expectation): the closure threw \(error)"
    }
  }
}

extension RequestCondition {
  /// The closure returns true; a request for which it throws does not match.
  ///
  /// The closure is called in the task of an exchange, concurrently, and any number of times for one request.
  ///
  /// - Parameter expectation: a description of the condition, for error messages.
  public static func matching(
    _ expectation: String, _ isMet: @escaping @Sendable (RequestSnapshot) throws -> Bool
  ) -> RequestCondition {
    RequestCondition(ClosureMatcher(expectation: expectation, isMet: isMet))
  }
}
