public import HTTPTypes

// Properties that the responses of requests have, and the heads that closures receive do not. The compiler's message names
// the replacement.
extension HTTPResponse {
  /// Unavailable: swift-http-types has the code in the status.
  @available(*, unavailable, renamed: "status.code")
  public var statusCode: Int { status.code }

  /// Unavailable: swift-http-types calls the fields `headerFields`.
  @available(*, unavailable, renamed: "headerFields")
  public var headers: HTTPFields { headerFields }

  /// Unavailable: a field is read by subscript.
  @available(*, unavailable, message: "Use headerFields[name].")
  public func value(of name: HTTPField.Name) -> String? { headerFields[name] }

  /// Unavailable: a field is read by subscript.
  @available(
    *, unavailable, message: "Use headerFields[name], with HTTPField.Name(\"…\") for a name without a constant."
  )
  @_disfavoredOverload
  public func value(of name: String) -> String? { HTTPField.Name(name).flatMap { headerFields[$0] } }
}
