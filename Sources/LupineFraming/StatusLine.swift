import HTTPTypes
public import LupineCore
import LupineSupport

/// The status line of a response (RFC 9112 section 4).
public final class StatusLine: Sendable {
  /// The version of HTTP; a status line that libcurl writes for HTTP/2 or HTTP/3 has no minor version.
  public let version: ProtocolVersion
  /// The status code, from 100 to 999.
  public let code: Int
  /// The head with this status line, without fields.
  let head: HTTPResponse
  /// The line without its line end.
  let bytes: [UInt8]

  init(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    guard let space = line.firstIndex(of: 0x20), let version = Self.version(line[..<space]) else {
      throw MalformedResponse.statusLine.error
    }
    // HTTP/2 and HTTP/3 have the field `:status` instead of a status line.
    let fault = version == .http2 || version == .http3 ? MalformedResponse.status : .statusLine
    let rest = line[(space + 1)...]
    let digits = rest.prefix(3)
    let code = digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    guard digits.count == 3, digits.allSatisfy(\.isDigit), code >= 100 else { throw fault.error }
    let reason = rest.dropFirst(3)
    guard reason.isEmpty || reason.first == 0x20, reason.allSatisfy(\.isFieldByte) else {
      throw fault.error
    }
    bytes = Array(line)
    self.version = version
    self.code = code
    head = HTTPResponse(status: HTTPResponse.Status(code: code, reasonPhrase: Self.text(reason.dropFirst())))
  }

  /// Whether the connection may carry other exchanges at the same time.
  public var isMultiplexed: Bool { version == .http2 || version == .http3 }

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
