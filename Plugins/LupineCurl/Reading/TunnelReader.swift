import HTTPTypes
import LupineCore
import LupineFraming

/// Reads a proxy's responses to CONNECT (RFC 9110 section 9.3.6).
struct TunnelReader {
  /// The response, if the proxy opens no tunnel.
  private(set) var refusal: HTTPResponse?
  /// The status code of the last interim response; nil before the first one.
  private(set) var interimCode: Int?
  /// Whether the last line has ended an interim head.
  private var hasEndedInterim = false
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
      hasEndedInterim = true
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

  /// Processes a line before libcurl does, and hides the end of an interim head from libcurl.
  ///
  /// libcurl 7.88 takes the first head for the response to CONNECT. If the line that ends an interim head is a field
  /// instead, libcurl reads on, and uses the code of the last status line. libcurl then takes that status line for a
  /// field too, and looks for a colon in it.
  ///
  /// - Parameter line: a line in libcurl's buffer.
  mutating func process(changing line: UnsafeMutableRawBufferPointer) throws(LupineError) -> HTTPResponse? {
    let followsInterim = hasEndedInterim
    hasEndedInterim = false
    let response = try process(UnsafeRawBufferPointer(line))
    let place = hasEndedInterim ? 0 : Self.lengthWithCode
    if hasEndedInterim || followsInterim, place < line.count { line[place] = UInt8(ascii: ":") }
    return response
  }

  /// The length of a status line up to the end of its code.
  private static let lengthWithCode = "HTTP/1.1 200".utf8.count

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
