import HTTPTypes

/// What every request must keep to, whatever the transport.
enum RequestRules {
  static func check(_ request: OutgoingRequest, limits: Limits) throws(LupineError) {
    guard !request.hasBody || (request.method != .trace && request.method != .connect) else {
      throw LupineError(.invalidRequest, "A \(request.method.rawValue) request has no body (RFC 9110 section 9.3).")
    }
    guard request.method != .connect else {
      throw LupineError(.invalidRequest, "CONNECT is the transport's own, for proxies; send another method.")
    }
    let facts = try FieldRules.check(request)
    guard facts.size <= limits.requestFields else {
      throw LupineError(
        .limitExceeded(.requestFields),
        "The request's fields have \(facts.size) bytes; the limit requestFields is \(limits.requestFields).")
    }
    if facts.findings.contains(.framing) {
      let name = request.headers.contains(.contentLength) ? HTTPField.Name.contentLength : .transferEncoding
      throw LupineError(.invalidRequest, "\(name) is the transport's to set; it follows from the body.")
    }
  }
}
