import FoundationEssentials
import HTTPTypes
public import LupineCoding

extension SessionRequest {
  /// Refuses statuses outside 200..<300, and a `Content-Type` that the request's `Accept` does not allow.
  @discardableResult
  public func validate() -> Self {
    // Most requests have no other rules, and share the array.
    setting {
      $0.validators = $0.validators.isEmpty ? ResponseValidator.standard : $0.validators + ResponseValidator.standard
    }
  }

  /// Refuses statuses that are not among these.
  @discardableResult
  public func validate(statusCode acceptable: some Sequence<Int> & Sendable) -> Self {
    setting { $0.validators.append(.statusCodes(acceptable)) }
  }

  /// Refuses media types that none of these ranges, such as `text/*`, allows; an empty body has no type to refuse.
  @discardableResult
  public func validate(contentType acceptable: some Sequence<String> & Sendable) -> Self {
    setting { $0.validators.append(.contentTypes(acceptable)) }
  }

  /// Refuses the responses that the closure throws for.
  @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    setting { $0.validators.append(.custom(validation)) }
  }
}
