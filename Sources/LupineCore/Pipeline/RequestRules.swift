import HTTPTypes

/// What every request must keep to, whatever the transport.
enum RequestRules {
  static func check(_ request: OutgoingRequest, limits: Limits) throws(LupineError) {
    // Most requests are GETs, which may have a body and are no tunnel.
    if request.method != .get { try checkMethod(of: request) }
    try FieldRules.check(request, limit: limits.requestFields)
  }

  private static func checkMethod(of request: OutgoingRequest) throws(LupineError) {
    guard !request.hasBody || (request.method != .trace && request.method != .connect) else {
      throw LupineError(.invalidRequest, "A \(request.method.rawValue) request has no body (RFC 9110 section 9.3).")
    }
    guard request.method != .connect else {
      throw LupineError(.invalidRequest, "CONNECT is the transport's own, for proxies; send another method.")
    }
  }
}
