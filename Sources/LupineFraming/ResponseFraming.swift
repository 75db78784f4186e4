public import HTTPTypes
public import LupineCore
import LupineSupport

/// The rule by which the end of a response's body is found in HTTP/1.1 (RFC 9112 section 6.3).
///
/// A head with two rules, or with an invalid one, is refused: another program may find a different end, and bytes of
/// one response would then become the next response (response smuggling). The transport closes the connection of a
/// refused head.
///
/// ```swift
/// let head = HTTPResponse(status: .ok, headerFields: [.transferEncoding: "chunked"])
/// let framing = try ResponseFraming(of: head, to: .get)
/// ```
public enum ResponseFraming: Sendable, Hashable {
  /// There is no body, whatever the fields say: the response to HEAD, a 204 or a 304, or a 2xx to CONNECT.
  case none
  /// The body has this number of bytes.
  case length(Int64)
  /// The body is chunked; a `ChunkReader` finds its end.
  case chunked
  /// The body ends with the connection.
  ///
  /// The connection carries no other exchange. With TLS the body is complete only after close_notify (RFC 9112
  /// section 9.8).
  case untilClose

  /// Finds the rule for a final response.
  ///
  /// - Parameters:
  ///   - head: the final head with all its fields.
  ///   - method: the method of the request.
  ///   - version: the version in the status line. Default: HTTP/1.1.
  /// - Throws: `LupineError` of kind `malformedResponse` for `Transfer-Encoding` beside `Content-Length`, for a
  ///   repeated or invalid `Content-Length`, for a transfer coding other than one `chunked`, and for any in HTTP/1.0.
  public init(
    of head: HTTPResponse, to method: HTTPRequest.Method, in version: ProtocolVersion = .http1_1
  ) throws(LupineError) {
    var declared = DeclaredLength()
    for field in head.headerFields { try declared.record(field) }
    try declared.check(version)
    self.init(declared, code: head.status.code, to: method)
  }

  init(_ declared: DeclaredLength, code: Int, to method: HTTPRequest.Method) {
    let isTunnel = method == .connect && (200..<300).contains(code)
    if isTunnel || method == .head || code == 204 || code == 304 {
      self = .none
    } else if declared.isChunked {
      self = .chunked
    } else {
      self = declared.contentLength.map { .length($0) } ?? .untilClose
    }
  }
}

/// The length of the body that the fields of a head declare.
struct DeclaredLength: Sendable {
  private(set) var contentLength: Int64?
  private(set) var isChunked = false
  /// Whether the transfer coding is `identity`, which changes nothing.
  private var isIdentity = false
  private(set) var tolerances: ToleranceRecord

  /// - Parameter tolerances: the violations that the reader accepts. Default: none.
  init(tolerating tolerances: ResponseTolerances = []) { self.tolerances = ToleranceRecord(allowed: tolerances) }

  /// Whether a body with content is declared.
  var isContent: Bool { isChunked || contentLength ?? 0 > 0 }

  /// Records a field if it determines the length of the body.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` if the field is repeated or its value is invalid.
  mutating func record(_ field: HTTPField) throws(LupineError) {
    try field.withUnsafeBytesOfValue { (value) throws(LupineError) in
      try record(field.name, UnsafeRawBufferPointer(value))
    }
  }

  private mutating func record(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) throws(LupineError) {
    if name == .contentLength {
      guard value.contains(0x2C) else { return try record(length: Self.number(value)) }
      for number in value.split(separator: 0x2C, omittingEmptySubsequences: false) {
        try record(length: Self.number(UnsafeRawBufferPointer(rebasing: number).trimmingBlanks()))
      }
    } else if name == .transferEncoding {
      try record(codings: value)
    }
  }

  private mutating func record(length: Int64) throws(LupineError) {
    if let contentLength {
      guard length == contentLength else { throw MalformedResponse.twoLengths.error }
      try tolerances.accept(MalformedResponse.equalLengths)
    }
    contentLength = length
  }

  private mutating func record(codings value: UnsafeRawBufferPointer) throws(LupineError) {
    let hasCoding = isChunked || isIdentity
    if !hasCoding, value.isText("chunked") {
      isChunked = true
    } else if !isIdentity, value.isListOfChunked {
      try tolerances.accept(MalformedResponse.repeatedChunked)
      isChunked = true
    } else if !hasCoding, value.isText("identity") {
      try tolerances.accept(MalformedResponse.identity)
      isIdentity = true
    } else {
      throw MalformedResponse.transferCoding.error
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
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are this text in lower-case letters, in any case.
  fileprivate func isText(_ text: String) -> Bool {
    count == text.utf8.count && zip(self, text.utf8).allSatisfy { $0 | 0x20 == $1 }
  }

  /// Whether the bytes are a list that contains nothing but `chunked`.
  fileprivate var isListOfChunked: Bool {
    split(separator: 0x2C, omittingEmptySubsequences: false).allSatisfy {
      UnsafeRawBufferPointer(rebasing: $0).trimmingBlanks().isText("chunked")
    }
  }

  /// The bytes without spaces and tabs at both ends.
  func trimmingBlanks() -> UnsafeRawBufferPointer {
    var range = startIndex..<endIndex
    while let first = range.first, self[first].isBlank { range = range.dropFirst() }
    while let last = range.last, self[last].isBlank { range = range.dropLast() }
    return UnsafeRawBufferPointer(rebasing: self[range])
  }
}
