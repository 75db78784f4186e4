import HTTPTypes

/// What every request must keep to, whatever the transport.
enum RequestRules {
  static func check(_ request: OutgoingRequest, limits: Limits) throws(LupineError) {
    guard request.body.isNone || (request.method != .trace && request.method != .connect) else {
      throw LupineError(.invalidRequest, "A \(request.method.rawValue) request has no body (RFC 9110 section 9.3).")
    }
    guard request.method != .connect else {
      throw LupineError(.invalidRequest, "CONNECT is the transport's own, for proxies; send another method.")
    }
    var size = 0
    for field in request.headers {
      let (length, isValid) = field.withUnsafeBytesOfValue { ($0.count, FieldRules.isValid($0)) }
      size += field.name.rawName.utf8.count + length + 4
      guard isValid else { throw FieldRules.refusal(of: field.name) }
    }
    guard size <= limits.requestFields else {
      throw LupineError(
        .limitExceeded(.requestFields),
        "The request's fields have \(size) bytes; the limit requestFields is \(limits.requestFields).")
    }
    if request.headers.contains(.contentLength) { throw framing(.contentLength) }
    if request.headers.contains(.transferEncoding) { throw framing(.transferEncoding) }
  }

  private static func framing(_ name: HTTPField.Name) -> LupineError {
    LupineError(.invalidRequest, "\(name) is the transport's to set; it follows from the body.")
  }
}
