public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation

extension SessionRequest {
  /// Refuses statuses outside 200..<300, and a `Content-Type` that the request's `Accept` does not allow.
  @discardableResult
  public func validate() -> Self {
    // Most requests have no other rules and share the array.
    setting {
      $0.validators = $0.validators.isEmpty ? ResponseValidator.standard : $0.validators + ResponseValidator.standard
    }
  }

  /// Refuses statuses that are not in the sequence.
  @discardableResult
  public func validate(statusCode acceptable: some Sequence<Int> & Sendable) -> Self {
    setting { $0.validators.append(.statusCodes(acceptable)) }
  }

  /// Refuses media types that none of these ranges, such as `text/*`, allows; an empty body is not refused.
  @discardableResult
  public func validate(contentType acceptable: some Sequence<String> & Sendable) -> Self {
    setting { $0.validators.append(.contentTypes(acceptable)) }
  }

  // Disfavoured, so that a closure whose branches are results, as in `switch … { case …: check(response) … }`, is not
  // taken for one that returns nothing.
  /// Refuses the responses that the closure throws for; `Validation` says where it is called.
  @_disfavoredOverload @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    setting { $0.validators.append(.custom(validation)) }
  }

  /// Refuses the responses for which the closure returns a failure or throws.
  ///
  /// This is Alamofire's form of a validation. The value of a success is not used.
  ///
  /// ```swift
  /// let checked = await session.request("report")
  ///   .validate { request, response, data in
  ///     response.headerFields[.retryAfter] == nil ? .success(()) : .failure(Maintenance())
  ///   }
  ///   .serializingString().result
  /// ```
  @discardableResult
  public func validate<Success, Failure: Error>(
    _ validation: @escaping @Sendable (OutgoingRequest, HTTPResponse, Data) throws -> Result<Success, Failure>
  ) -> Self {
    validate { _ = try validation($0, $1, $2).get() }
  }

  // Without this overload, the error type of a closure that returns only `.success(())` is unknown. Of two disfavoured
  // overloads the compiler takes the one without a default argument, so a closure without a `return` returns nothing.
  /// Refuses the responses for which the closure returns a failure or throws.
  ///
  /// The second parameter only makes this overload different; do not pass it.
  @_disfavoredOverload @discardableResult
  public func validate(
    _ validation: @escaping @Sendable (OutgoingRequest, HTTPResponse, Data) throws -> Result<Void, any Error>,
    _: Void = ()
  ) -> Self {
    validate { try validation($0, $1, $2).get() }
  }
}
