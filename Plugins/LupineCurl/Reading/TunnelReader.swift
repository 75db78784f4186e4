import HTTPTypes
import LupineCore

/// Reads a proxy's responses to CONNECT (RFC 9110 section 9.3.6).
struct TunnelReader {
  /// The response, if the proxy opens no tunnel.
  private(set) var refusal: ReceivedHead?
  private let head: HeadReader
  private var legs = ConnectionAuthentication()

  init(_ limits: Limits, _ lines: KnownLines) { head = HeadReader(limits, lines, mayBeMultiplexed: false) }

  /// Processes a line; returns the response that the line completes, if it opens the tunnel.
  mutating func take(_ line: UnsafeRawBufferPointer) throws(LupineError) -> HTTPResponse? {
    if refusal != nil, line.starts(with: "HTTP/".utf8) { try beginAgain() }
    guard case .final(let received) = try head.take(line) else { return nil }
    var answer = received.response
    if answer.status.kind == .successful { return answer }
    // libcurl discards the content, so the fields must not announce any.
    for name in [HTTPField.Name.contentLength, .contentEncoding, .transferEncoding, .contentType] {
      answer.headerFields[name] = nil
    }
    refusal = ReceivedHead(received.line, answer, received.framing)
    return nil
  }

  /// Starts the next round of NTLM or Negotiate: libcurl has read the challenge and answered it.
  private mutating func beginAgain() throws(LupineError) {
    refusal = nil
    head.beginAgain()
    try legs.next(for: true)
  }
}

/// Limits the rounds of NTLM or Negotiate on a connection, which a server or a proxy could extend without end.
struct ConnectionAuthentication {
  private static let maximum = 8
  private var count = 0

  /// Counts one round.
  ///
  /// - Throws: `LupineError` of kind `connectionFailed` or `proxyFailed` after more than 8 rounds.
  mutating func next(for proxy: Bool) throws(LupineError) {
    count += 1
    guard count > Self.maximum else { return }
    let (kind, who): (LupineError.Kind, String) = proxy ? (.proxyFailed, "proxy") : (.connectionFailed, "server")
    throw LupineError(kind, "The \(who) asked for a proof of the connection \(count) times; it never ends.")
  }
}
