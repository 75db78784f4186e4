public import LupineCore

/// Leaves the question to a closure.
struct ClosureMatcher: RequestMatcher {
  let expectation: String
  let isMet: @Sendable (RequestSnapshot) throws -> Bool

  func difference(from request: RequestSnapshot) -> String? {
    do {
      return try isMet(request) ? nil : "\(expectation): not so"
    } catch {
      return "\(expectation): the closure threw \(error)"
    }
  }
}

extension RequestCondition {
  /// The closure says so; a request on which it throws does not fit.
  ///
  /// - Parameter expectation: what the closure looks for, as errors show it.
  public static func matching(
    _ expectation: String, _ isMet: @escaping @Sendable (RequestSnapshot) throws -> Bool
  ) -> RequestCondition {
    RequestCondition(ClosureMatcher(expectation: expectation, isMet: isMet))
  }
}
