import HTTPTypes
import LupineCore
import LupineSupport

/// A complete head with its framing.
final class ReceivedHead {
  let statusLine: StatusLine
  let response: HTTPResponse
  let framing: Framing
  /// Whether the head asks for authentication (401 or 407), which libcurl may answer itself.
  let isChallenge: Bool
  /// Whether `Exchange.processFinalHead` must process the head even if the request has no body.
  let needsProcessing: Bool

  init(_ statusLine: StatusLine, _ response: HTTPResponse, _ framing: Framing) {
    self.statusLine = statusLine
    self.response = response
    self.framing = framing
    isChallenge = statusLine.code == 401 || statusLine.code == 407
    needsProcessing = isChallenge || statusLine.code == 204 || statusLine.version == .http2
  }
}

/// The status line of a response (RFC 9112 section 4).
final class StatusLine {
  let version: ProtocolVersion
  let code: Int
  /// The head with this status line, without fields.
  let head: HTTPResponse
  /// The line without its line end.
  let bytes: [UInt8]

  init(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    guard let space = line.firstIndex(of: 0x20), let version = Self.version(line[..<space]) else {
      throw MalformedResponse.statusLine.error
    }
    let rest = line[(space + 1)...]
    let digits = rest.prefix(3)
    let code = digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    guard digits.count == 3, digits.allSatisfy(\.isDigit), code >= 100 else { throw MalformedResponse.statusLine.error }
    let reason = rest.dropFirst(3)
    guard reason.isEmpty || reason.first == 0x20, reason.allSatisfy(\.isFieldByte) else {
      throw MalformedResponse.statusLine.error
    }
    bytes = Array(line)
    self.version = version
    self.code = code
    head = HTTPResponse(status: HTTPResponse.Status(code: code, reasonPhrase: Self.text(reason.dropFirst())))
  }

  /// Whether the connection may carry other exchanges at the same time.
  var isMultiplexed: Bool { version == .http2 || version == .http3 }

  private static func version(_ bytes: Slice<UnsafeRawBufferPointer>) -> ProtocolVersion? {
    if bytes.elementsEqual("HTTP/1.1".utf8) { return .http1_1 }
    if bytes.elementsEqual("HTTP/2".utf8) { return .http2 }
    if bytes.elementsEqual("HTTP/1.0".utf8) { return .http1_0 }
    return bytes.elementsEqual("HTTP/3".utf8) ? .http3 : nil
  }

  /// Decodes the reason phrase; bytes outside ASCII are read as ISO Latin 1, so that none is lost.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}

/// The body length that a head declares, checked on the raw bytes (RFC 9112 section 6.3).
struct Framing: Equatable {
  private(set) var contentLength: Int64?
  private(set) var isChunked = false

  /// Records a field if it determines the length of the body.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` if the field is repeated or its value is invalid.
  mutating func record(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) throws(LupineError) {
    if name == .contentLength {
      guard contentLength == nil else { throw MalformedResponse.twoLengths.error }
      contentLength = try Self.number(value)
    } else if name == .transferEncoding {
      guard !isChunked, Self.isChunked(value) else { throw MalformedResponse.transferCoding.error }
      isChunked = true
    }
  }

  /// Rejects contradictory fields after the head is complete.
  func check(_ version: ProtocolVersion) throws(LupineError) {
    if isChunked, contentLength != nil { throw MalformedResponse.lengthAndChunked.error }
    if isChunked, version != .http1_1 { throw MalformedResponse.transferCoding.error }
  }

  private static func number(_ value: UnsafeRawBufferPointer) throws(LupineError) -> Int64 {
    var number: Int64 = 0
    guard !value.isEmpty else { throw MalformedResponse.badLength.error }
    for byte in value {
      let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsNow) = tens.addingReportingOverflow(Int64(byte &- 0x30))
      guard byte.isDigit, !overflows, !overflowsNow else { throw MalformedResponse.badLength.error }
      number = sum
    }
    return number
  }

  private static func isChunked(_ value: UnsafeRawBufferPointer) -> Bool {
    value.count == 7 && zip(value, "chunked".utf8).allSatisfy { $0 | 0x20 == $1 }
  }
}

/// The violations of HTTP in a response's head or trailers.
enum MalformedResponse: String {
  case bareLineFeed = "a line ends without a carriage return"
  case statusLine = "the status line is not valid"
  case version = "its HTTP version was not requested"
  case switchingProtocols = "it switches to a protocol that was not requested"
  case folded = "a field is folded over two lines"
  case fieldName = "a field's name is empty or contains a byte that is not allowed"
  case fieldValue = "a field's value contains a control byte"
  case twoLengths = "it has two Content-Length fields"
  case badLength = "its Content-Length is not a decimal number"
  case lengthAndChunked = "it has both Content-Length and Transfer-Encoding"
  case transferCoding = "its Transfer-Encoding is not exactly chunked"
  case surplus = "bytes follow the end of a challenge"
  case unfinished = "the next authentication round began before the end of a challenge"
  case secondHead = "a second final head follows the first"

  /// The error for the violation.
  ///
  /// Programs may interpret such a response differently, so its connection is not reused (RFC 9112 section 6.3).
  var error: LupineError {
    LupineError(.malformedResponse, "The response violates HTTP: \(rawValue). Its connection is closed.")
  }
}
