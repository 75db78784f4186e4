import HTTPTypes
import LupineCore

/// The head of a response (RFC 9112 sections 4 to 6).
struct ResponseHead {
  /// How the end of the body is found.
  enum Framing: Equatable {
    case none
    case length(Int64)
    case chunked
    case untilClose
  }

  let isHTTP1_0: Bool
  let status: HTTPResponse.Status
  var fields = HTTPFields()

  /// Parses a status line without its CRLF.
  init(statusLine line: ArraySlice<UInt8>) throws(LupineError) {
    let version = line.prefix(9)
    isHTTP1_0 = version.elementsEqual("HTTP/1.0 ".utf8)
    guard isHTTP1_0 || version.elementsEqual("HTTP/1.1 ".utf8) else {
      throw .malformed("it does not begin with a version of HTTP/1")
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

  /// Whether the server keeps the connection open (RFC 9112 section 9.3); one of HTTP/1.0 is never kept.
  var isPersistent: Bool { !isHTTP1_0 && !fields.haveConnectionClose }

  /// Decides how the end of the body is found (RFC 9112 section 6.3); throws if there are two ways to find it.
  func framing(answering method: HTTPRequest.Method) throws(LupineError) -> Framing {
    let codings = fields[values: .transferEncoding]
    let lengths = fields[values: .contentLength]
    guard codings.isEmpty || (lengths.isEmpty && !isHTTP1_0) else {
      throw .malformed("Transfer-Encoding stands beside Content-Length, or in HTTP/1.0")
    }
    guard codings.isEmpty || (codings.count == 1 && codings[0].lowercased() == "chunked") else {
      throw .malformed("the transfer coding is not 'chunked'")
    }
    var length: Int64?
    if !lengths.isEmpty {
      guard lengths.count == 1, let count = Int(decimal: lengths[0].utf8) else {
        throw .malformed("Content-Length is not one number")
      }
      length = Int64(count)
    }
    if method == .head || status.code == 204 || status.code == 304 { return .none }
    return codings.isEmpty ? length.map { .length($0) } ?? .untilClose : .chunked
  }
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

/// The line before the content of a chunk (RFC 9112 section 7.1).
struct ChunkLine {
  /// 16 digits are 64 bits; a longer size could only have leading zeros.
  static let maximumDigits = 16

  /// The number of bytes of the chunk's content; 0 for the last chunk.
  let size: Int64
  /// The number of bytes after the size.
  let extensionCount: Int

  /// Parses a line without its CRLF.
  init(_ line: ArraySlice<UInt8>) throws(LupineError) {
    let digits = line.prefix { $0.isHexadecimalDigit }
    guard (1...Self.maximumDigits).contains(digits.count),
      let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw .malformed("the size of a chunk is not a hexadecimal number of 63 bits") }
    self.size = size
    extensionCount = line.count - digits.count
    var rest = line.dropFirst(digits.count)
    while !rest.isEmpty {
      guard rest.skip(0x3B), rest.skipToken() else { throw .malformed("an extension of a chunk has no name") }
      guard rest.skip(0x3D) else { continue }
      guard rest.skipQuotedString() || rest.skipToken() else {
        throw .malformed("an extension of a chunk has no value")
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Skips a byte with the white space around it; skips nothing and returns false if it is another byte.
  fileprivate mutating func skip(_ byte: UInt8) -> Bool {
    let rest = drop(while: \.isBlank)
    guard rest.first == byte else { return false }
    self = rest.dropFirst().drop(while: \.isBlank)
    return true
  }

  fileprivate mutating func skipToken() -> Bool {
    let rest = drop(while: \.isTokenByte)
    defer { self = rest }
    return rest.count < count
  }

  /// Skips a quoted string (RFC 9110 section 5.6.4); skips nothing and returns false if there is none.
  fileprivate mutating func skipQuotedString() -> Bool {
    guard first == 0x22 else { return false }
    var rest = dropFirst()
    while let byte = rest.popFirst() {
      if byte == 0x22 {
        self = rest
        return true
      }
      guard byte.isFieldByte, byte != 0x5C || rest.popFirst()?.isFieldByte == true else { return false }
    }
    return false
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isHexadecimalDigit: Bool { isDigit || (0x41...0x46).contains(self & 0xDF) }
  /// Whether a value may hold the byte (RFC 9110 section 5.5).
  fileprivate var isFieldByte: Bool { self == 0x09 || (self >= 0x20 && self != 0x7F) }
  /// Whether a name may hold the byte (RFC 9110 section 5.6.2).
  fileprivate var isTokenByte: Bool {
    isDigit || (0x41...0x5A).contains(self & 0xDF) || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }
}

extension Int {
  /// Parses digits alone, without a sign.
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
