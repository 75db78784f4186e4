import HTTPTypes
import LupineCore

/// The first line of a response (RFC 9112 section 4).
struct StatusLine {
  let version: ProtocolVersion
  let code: Int
  /// The head that it begins, without fields.
  let head: HTTPResponse

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
    self.version = version
    self.code = code
    head = HTTPResponse(status: HTTPResponse.Status(code: code, reasonPhrase: Self.text(reason.dropFirst())))
  }

  private static func version(_ bytes: Slice<UnsafeRawBufferPointer>) -> ProtocolVersion? {
    if bytes.elementsEqual("HTTP/1.1".utf8) { return .http1_1 }
    if bytes.elementsEqual("HTTP/2".utf8) { return .http2 }
    if bytes.elementsEqual("HTTP/1.0".utf8) { return .http1_0 }
    return bytes.elementsEqual("HTTP/3".utf8) ? .http3 : nil
  }

  /// Bytes outside ASCII are read as ISO Latin 1, so that none is lost.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
