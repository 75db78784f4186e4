import HTTPTypes
import LupineCore

/// The head of a response (RFC 9112 sections 4 and 5).
struct ResponseHead {
  let version: ProtocolVersion
  let status: HTTPResponse.Status
  var fields = HTTPFields()

  /// Parses a status line without its CRLF.
  init(statusLine line: ArraySlice<UInt8>) throws(LupineError) {
    switch String(decoding: line.prefix(9), as: UTF8.self) {
    case "HTTP/1.0 ": version = .http1_0
    case "HTTP/1.1 ": version = .http1_1
    default: throw .malformed("it does not begin with a version of HTTP/1")
    }
    let digits = line.dropFirst(9).prefix(3)
    let reason = line.dropFirst(12)
    guard digits.count == 3, let code = Int(decimal: digits), code >= 100, reason.isEmpty || reason.first == 0x20,
      reason.allSatisfy(\.isFieldByte)
    else { throw .malformed("the status line is invalid") }
    status = HTTPResponse.Status(code: code, reasonPhrase: String(decoding: reason.dropFirst(), as: UTF8.self))
  }

  var response: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
  var isInformational: Bool { status.code < 200 }

  /// Whether the server keeps the connection open (RFC 9112 section 9.3); always false for HTTP/1.0.
  var isPersistent: Bool { version != .http1_0 && !fields.haveConnectionClose }
}

extension HTTPFields {
  /// Whether the connection is closed after the message (RFC 9112 section 9.6).
  var haveConnectionClose: Bool {
    self[values: .connection].contains { value in
      value.split { ", \t".contains($0) }.contains { $0.lowercased() == "close" }
    }
  }
}

/// Parses a field line without its CRLF (RFC 9112 section 5); refuses a folded line.
func parseField(_ line: ArraySlice<UInt8>) throws(LupineError) -> HTTPField {
  // The name must be a token (RFC 9110 section 5.1): white space around it is invalid.
  guard let colon = line.firstIndex(of: 0x3A),
    let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
  else { throw .malformed("a field has no name, or an invalid one") }
  var value = line[(colon + 1)...].drop(while: \.isBlank)
  while value.last?.isBlank == true { value.removeLast() }
  guard value.allSatisfy(\.isFieldByte) else { throw .malformed("the value of a field has a control byte") }
  return HTTPField(name: name, lenientValue: value)
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  /// Whether a value may hold the byte (RFC 9110 section 5.5).
  fileprivate var isFieldByte: Bool { self == 0x09 || (self >= 0x20 && self != 0x7F) }
}

extension Int {
  /// Parses decimal digits without a sign.
  fileprivate init?(decimal digits: some Collection<UInt8>) {
    guard digits.allSatisfy(\.isDigit) else { return nil }
    self.init(String(decoding: digits, as: UTF8.self))
  }
}

extension LupineError {
  static func malformed(_ reason: String) -> LupineError {
    LupineError(.malformedResponse, "The response breaks the rules of HTTP: \(reason). Its connection is closed.")
  }

  static func exceeded(_ limit: Limits.Name) -> LupineError {
    LupineError(.limitExceeded(limit), "The response exceeds the limit \(limit.rawValue). Its connection is closed.")
  }
}
