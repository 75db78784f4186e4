import HTTPTypes

extension Pipeline {
  /// Adds the session's default fields; one that the request has is the request's own to set.
  func prepared(_ request: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var described = task.consumer.prepare(request)
    // What was meant for one server is no other's business.
    if described.url != request.url, described.url.origin != request.url.origin {
      described.headers = session.configuration.secretFields.strip(described.headers)
    }
    var request = described
    if request.options.version == nil { request.options.version = session.configuration.version }
    let shared = described.headers.isEmpty ? session.configuration.sharedFields : nil
    if let shared { request.headers = shared }
    let missing = shared == nil ? session.configuration.defaultFields : []
    for field in missing where !described.headers.contains(field.field.name) {
      if let scope = field.scope {
        guard try scope.allows(request.url, baseURL: session.baseURL) else { continue }
      }
      request.headers.append(field.field)
    }
    return request
  }
}

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
      guard isValid else {
        throw LupineError(.invalidRequest, "The value of \(field.name) has a control byte, or white space at its ends.")
      }
    }
    guard size <= limits.requestFields else {
      throw LupineError(
        .limitExceeded(.requestFields),
        "The request's fields have \(size) bytes; the limit requestFields is \(limits.requestFields).")
    }
    for name in [HTTPField.Name.contentLength, .transferEncoding] where request.headers.contains(name) {
      throw LupineError(.invalidRequest, "\(name) is the transport's to set; it follows from the body.")
    }
  }
}
