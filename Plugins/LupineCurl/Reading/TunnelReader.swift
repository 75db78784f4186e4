import HTTPTypes
import LupineCore
import LupineFraming

/// Reads a proxy's responses to CONNECT (RFC 9110 section 9.3.6).
struct TunnelReader {
  /// The response, if the proxy opens no tunnel.
  private(set) var refusal: HTTPResponse?
  /// The status code of the last interim response; nil before the first one.
  private(set) var interimCode: Int?
  private var headReader: HeadReader
  private var rounds = AuthenticationRounds()

  init(_ limits: Limits, _ cache: HeadCache) { headReader = HeadReader(limits, cache) }

  /// Processes a line; returns the response that the line completes, if it opens the tunnel.
  mutating func process(_ line: UnsafeRawBufferPointer) throws(LupineError) -> HTTPResponse? {
    if refusal != nil, line.starts(with: "HTTP/".utf8) { try beginRound() }
    let received: ReceivedHead
    switch try headReader.process(line) {
    case .final(let head): received = head
    case .interim(let response):
      interimCode = response.status.code
      return nil
    case nil: return nil
    }
    var response = received.response
    if response.status.kind == .successful { return response }
    // libcurl discards the content, so the fields must not announce any.
    for name in [HTTPField.Name.contentLength, .contentEncoding, .transferEncoding, .contentType] {
      response.headerFields[name] = nil
    }
    refusal = response
    return nil
  }

  /// Starts the next round of NTLM or Negotiate: libcurl has read the challenge and answered it.
  private mutating func beginRound() throws(LupineError) {
    refusal = nil
    headReader.prepareForNextHead()
    try rounds.begin(isProxy: true)
  }
}

/// Limits the rounds of NTLM or Negotiate on a connection, which a server or a proxy could extend without end.
struct AuthenticationRounds {
  private static let maximum = 8
  private var count = 0

  /// Counts one round.
  ///
  /// - Throws: `LupineError` of kind `connectionFailed` or `proxyFailed` after more than 8 rounds.
  mutating func begin(isProxy: Bool) throws(LupineError) {
    count += 1
    guard count > Self.maximum else { return }
    let (kind, who): (LupineError.Kind, String) = isProxy ? (.proxyFailed, "proxy") : (.connectionFailed, "server")
    throw LupineError(
      kind, "The \(who) requested authentication of the connection \(count) times; the maximum is \(Self.maximum).")
  }
}
