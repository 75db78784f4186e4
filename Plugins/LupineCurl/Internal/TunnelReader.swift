import HTTPTypes
import LupineCore

/// Reads a proxy's answer to CONNECT (RFC 9110 section 9.3.6).
struct TunnelReader {
  /// The answer, where the proxy opens no tunnel.
  private(set) var refusal: HTTPResponse?
  private var head: HeadReader

  init(_ limits: Limits, _ lines: KnownLines) { head = HeadReader(limits, lines, mayBeMultiplexed: false) }

  mutating func take(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    guard case .final(var answer, _) = try head.take(line), answer.status.kind != .successful else { return }
    // libcurl drops the content, so nothing may say that there is any.
    for name in [HTTPField.Name.contentLength, .contentEncoding, .transferEncoding, .contentType] {
      answer.headerFields[name] = nil
    }
    refusal = answer
  }
}
