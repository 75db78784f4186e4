public import HTTPTypes
import LupineSupport

/// The rules for every request, whatever the transport.
public enum RequestRules {
  /// Checks method, body and fields; throws kind `invalidRequest` or `limitExceeded`.
  public static func check(_ request: OutgoingRequest, limits: Limits) throws(LupineError) {
    // Most requests are GETs without a body.
    if request.hasBody || request.method != .get { try checkMethod(of: request) }
    try checkFields(of: request, limit: limits.requestFields)
  }

  private static func checkMethod(of request: OutgoingRequest) throws(LupineError) {
    let name = request.method.rawValue.utf8
    guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
      throw LupineError(
        .invalidRequest, "The method is empty or has a byte that is not allowed in a method (RFC 9110 section 9.1).")
    }
    guard request.method != .connect else {
      throw LupineError(.invalidRequest, "Only the transport sends CONNECT, to proxies; use another method.")
    }
    guard request.hasBody else { return }
    try checkBodyAllowed(in: request)
    if let length = request.body.length, length < 0 {
      throw LupineError(.invalidRequest, "The length of the request's body is negative: \(length).")
    }
  }

  /// Throws if the method defines no meaning for a body (RFC 9110 sections 9.3.1, 9.3.2 and 9.3.8).
  public static func checkBodyAllowed(in request: OutgoingRequest) throws(LupineError) {
    switch request.method {
    case .head, .trace:
      throw LupineError(
        .invalidRequest,
        "A \(request.method.rawValue) request has no body (RFC 9110 section 9.3). Remove it, or use another method; "
          + parameters)
    case .get where !request.options.allowsBodyWithGET:
      throw LupineError(
        .invalidRequest,
        "A GET request has a body only if its options allow it, because many servers and proxies refuse or remove it "
          + "(RFC 9110 section 9.3.1). Use another method, or set the option 'allowsBodyWithGET'; " + parameters)
    default: return
    }
  }

  /// Throws for a request whose fields no transport may send, or whose fields are larger than the limit.
  static func checkFields(of request: OutgoingRequest, limit: Int) throws(LupineError) {
    let facts = request.fieldFacts
    if facts.findings.isDisjoint(with: .refused), facts.size <= limit { return }
    throw error(facts, request.headers, limit)
  }

  private static func error(_ facts: FieldFacts, _ fields: HTTPFields, _ limit: Int) -> LupineError {
    if let reason = fields[.unsendable] { return LupineError(.invalidRequest, reason) }
    if facts.findings.contains(.invalidName) {
      return LupineError(
        .invalidRequest, "A field's name is empty or has a byte that no name may have (RFC 9110 section 5.6.2).")
    }
    if facts.findings.contains(.invalidValue) {
      let names = fields.lazy.filter { !$0.withUnsafeBytesOfValue(FieldRules.isValid) }.map(\.name.rawName)
      return LupineError(
        .invalidRequest,
        "The value of \(names.first ?? "a field") has a control byte, or white space at its ends (RFC 9110 section 5.5)."
      )
    }
    if facts.findings.contains(.framing) {
      let name = fields.contains(.contentLength) ? HTTPField.Name.contentLength : .transferEncoding
      return LupineError(.invalidRequest, "The transport sets \(name); set the length of the body instead.")
    }
    return LupineError(
      .limitExceeded(.requestFields),
      "The request's fields have \(facts.size) bytes, more than \(limit), the limit requestFields; send fewer, or raise the limit."
    )
  }

  /// Throws for an https URL.
  ///
  /// A session calls it if its transport has no TLS, and so does such a transport, which never sends the request in
  /// clear text. The error is of kind `configuration`, which no retry policy repeats.
  public static func refuseHTTPS(_ request: OutgoingRequest) throws(LupineError) {
    guard request.url.scheme == .https else { return }
    throw .unusable(
      "transport",
      "The transport has no TLS (it lacks \(TransportCapabilities.tls)), so the https URL of \(request.url.host) cannot be "
        + "requested; use another transport, or an http URL.")
  }

  private static let parameters = "parameters go into the query with '.urlEncodedForm(destination: .queryString)'."
}

extension HTTPRequest.Method {
  /// Whether a request without a body states `Content-Length: 0`: POST, PUT, PATCH and QUERY, which give content a meaning
  /// (RFC 9110 section 8.6).
  ///
  /// For transports.
  public var statesEmptyLength: Bool { self == .post || self == .put || self == .patch || self == .query }
}
