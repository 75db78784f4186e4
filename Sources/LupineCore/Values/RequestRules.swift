import HTTPTypes

/// What every request must keep to, whatever the transport.
public enum RequestRules {
  /// Checks method, body and fields; throws kind `invalidRequest` or `limitExceeded`.
  public static func check(_ request: OutgoingRequest, limits: Limits) throws(LupineError) {
    // Most requests are GETs without a body.
    if request.hasBody || request.method != .get { try checkMethod(of: request) }
    try FieldRules.check(request, limit: limits.requestFields)
  }

  private static func checkMethod(of request: OutgoingRequest) throws(LupineError) {
    guard request.method != .connect else {
      throw LupineError(.invalidRequest, "CONNECT is the transport's own, for proxies; send another method.")
    }
    if request.hasBody { try checkBodyAllowed(in: request) }
  }

  /// Refuses a body where the method gives it no meaning (RFC 9110 sections 9.3.1, 9.3.2 and 9.3.8).
  public static func checkBodyAllowed(in request: OutgoingRequest) throws(LupineError) {
    switch request.method {
    case .head, .trace:
      throw LupineError(
        .invalidRequest,
        "A \(request.method.rawValue) request has no body (RFC 9110 section 9.3). Leave it out, or send another method; "
          + parameters)
    case .get where !request.options.allowsBodyWithGET:
      throw LupineError(
        .invalidRequest,
        "A GET request has a body only where its options say so, since many servers and proxies refuse it or leave it out "
          + "(RFC 9110 section 9.3.1). Send another method, or set the option 'allowsBodyWithGET'; " + parameters)
    default: return
    }
  }

  private static let parameters = "parameters go into the query with '.urlEncodedForm(destination: .queryString)'."
}
