public import HTTPTypes
import LupineFoundation
import LupineSupport

/// The rules for field values (RFC 9110 section 5.5).
public enum FieldRules {
  /// Whether a value has no control byte except tabs inside, and no white space at its ends.
  public static func isValid(value: String) -> Bool {
    var value = value
    return value.withUTF8 { isValid($0) }
  }

  /// Whether the bytes of a value have no control byte except tabs inside, and no white space at its ends.
  static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return true }
    return !first.isBlank && !last.isBlank && areFieldBytes(UnsafeRawBufferPointer(bytes))
  }

  /// Throws for a request whose fields no transport may send, or whose fields are larger than the limit.
  static func check(_ request: OutgoingRequest, limit: Int) throws(LupineError) {
    let facts = request.fieldFacts
    if facts.findings.isDisjoint(with: .refused), facts.size <= limit { return }
    throw error(facts, request.headers, limit)
  }

  private static func error(_ facts: FieldFacts, _ fields: HTTPFields, _ limit: Int) -> LupineError {
    if facts.findings.contains(.invalidName) {
      return LupineError(
        .invalidRequest, "A field's name is empty or has a byte that no name may have (RFC 9110 section 5.1).")
    }
    if facts.findings.contains(.invalidValue) {
      let names = fields.lazy.filter { !$0.withUnsafeBytesOfValue(isValid) }.map(\.name.rawName)
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

  /// Checks eight bytes at once, because the check runs for every request.
  private static func areFieldBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if mayHoldControl(word), !bytes[position..<position + 8].allSatisfy(\.isFieldByte) { return false }
      position += 8
    }
    return bytes[position...].allSatisfy(\.isFieldByte)
  }

  /// Whether one of the bytes may be less than a space, or DEL.
  ///
  /// Such a byte borrows in a subtraction, or is zero after the subtraction of DEL. Its top bit is then set although it
  /// was not set before.
  private static func mayHoldControl(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let rest = word ^ (ones &* 0x7F)
    let below = (word &- ones &* 0x20) & ~word
    let equal = (rest &- ones) & ~rest
    return (below | equal) & (ones &* 0x80) != 0
  }
}

/// The rules for every request, whatever the transport.
public enum RequestRules {
  /// Checks method, body and fields; throws kind `invalidRequest` or `limitExceeded`.
  public static func check(_ request: OutgoingRequest, limits: Limits) throws(LupineError) {
    // Most requests are GETs without a body.
    if request.hasBody || request.method != .get { try checkMethod(of: request) }
    try FieldRules.check(request, limit: limits.requestFields)
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
    if request.hasBody { try checkBodyAllowed(in: request) }
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

extension HTTPField.Name {
  /// `Idempotency-Key`, by which a server recognises a repeated request (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey = HTTPField.Name(constant: "Idempotency-Key")
}

extension HTTPField {
  /// `Authorization` with the Basic scheme (RFC 7617), in UTF-8.
  public static func authorization(username: String, password: String) -> HTTPField {
    HTTPField(name: .authorization, value: "Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
  }

  /// `Authorization` with the Bearer scheme (RFC 6750).
  public static func authorization(bearerToken: String) -> HTTPField {
    HTTPField(name: .authorization, value: "Bearer \(bearerToken)")
  }
}
