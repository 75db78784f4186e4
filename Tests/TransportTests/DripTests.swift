import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

/// Peers that send a byte now and then, but never the end of a part of their message.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct DripTests {
  /// The bytes of a peer: a part of a message, and then one byte again and again.
  struct Drip: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: [UInt8]
    let byte: UInt8
    var version = ProtocolVersion.http1_1
    var isHandshake = false

    init(_ name: String, _ start: String, _ byte: Character) {
      (testDescription, self.start) = (name, Array(start.utf8))
      self.byte = byte.asciiValue ?? 0
    }

    /// Makes a drip of a frame of HTTP/2 with 16 KiB, which begins with a part of its payload.
    init(_ name: String, _ frames: [UInt8], type: UInt8, flags: UInt8 = 0, _ payload: [UInt8]) {
      testDescription = name
      start = HTTP2Script.greeting + frames + [0, 0x40, 0, type, flags, 0, 0, 0, 1] + payload
      (byte, version) = (0x61, .http2)
    }

    /// Makes a drip of a TLS record of 16 KiB with a ServerHello (RFC 8446 section 5.1).
    init(handshake name: String) {
      testDescription = name
      start = [22, 3, 3, 0x40, 0, 2, 0, 0x3F, 0xFC]
      (byte, isHandshake) = (0, true)
    }
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let drips = [
    Drip("a status line", "HTTP/1.1 200 ", "a"),
    Drip("a field", "HTTP/1.1 200 OK\r\nX-A: ", "a"),
    Drip("the size of a chunk", chunked, "0"),
    Drip("the extension of a chunk", chunked + "1;", "a"),
    Drip("a chunk", chunked + "ff\r\n", "a"),
    Drip("a trailer", chunked + "0\r\nX-A: ", "a"),
    Drip("a body with a length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "a"),
    Drip("a body that the connection delimits", "HTTP/1.1 200 OK\r\n\r\n", "a"),
    // A literal field without indexing, whose value has 254 bytes (RFC 7541 section 6.2.2).
    Drip("a HEADERS frame", [], type: 1, flags: 4, [0x88, 0, 1, 0x78, 0x7F, 0x7F]),
    Drip("a DATA frame", HTTP2Script.head(), type: 0, []),
    Drip("an unknown frame", HTTP2Script.head(), type: 0xFA, []),
    Drip(handshake: "a TLS handshake"),
  ]

  @Test(arguments: drips, [LupineError.Timeout.total, .attempt])
  func `a timeout holds although a byte arrives in each second`(drip: Drip, timeout: LupineError.Timeout) async throws {
    let line = WirePeer.Line(isMultiplexed: drip.version == .http2, requests: drip.isHandshake ? 0 : 1)
    let peer = try WirePeer(line, answer: drip.start, ending: .none)
    defer { peer.stop() }
    let clock = TestClock()
    let session = try Session.Builder().transport(TestTransport.make()).clock(clock).timeouts(
      connect: nil, idle: nil, total: timeout == .total ? .seconds(10) : nil,
      attempt: timeout == .attempt ? .seconds(10) : nil
    ).build()
    let url = drip.isHandshake ? peer.url.replacing("http:", with: "https:") : peer.url
    let request = session.request(url).options { $0.version = drip.version }
    async let response = request.serializingData().response
    try await peer.answered.opened()
    for _ in 1...10 {
      #expect(peer.drip(drip.byte))
      clock.advance(by: .seconds(1))
    }
    #expect(await response.error?.kind == .timedOut(timeout))
    await session.shutdown()
    try await peer.ended.opened()
  }
}
