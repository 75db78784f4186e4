import LupineCore
import LupineNative
import Testing

/// Responses that no honest server sends, from a server on loopback to the native transport.
///
/// The address sanitizer ends the process at the first invalid access to memory, such as one to the buffer of a
/// connection that is closed.
@Suite(.timeLimit(.minutes(1))) struct HostileResponseTests {
  private static let ok = "HTTP/1.1 200 OK\r\n"
  private static let chunked = "\(ok)Transfer-Encoding: chunked\r\n\r\n"

  static let texts = [
    "", "H", "HTTP/1.1 200", ok, "SSH-2.0-OpenSSH\r\n", "\0\0\u{12}\u{04}\0", "\(ok)\r\nuntil the end",
    "\(ok)Content-Length: 5\r\n\r\nhello", "\(ok)Content-Length: 5\r\n\r\nhel",
    "\(ok)Content-Length: 5\r\n\r\nhello\(ok)\r\n", "\(ok)Content-Length: 9223372036854775807\r\n\r\nx",
    "\(ok)Content-Length: 99999999999999999999\r\n\r\nx", "\(ok)Content-Length: 5\nContent-Length: 6\r\n\r\nhello",
    "\(ok)\(String(repeating: "A: b\r\n", count: 3_000))\r\n", "\(ok)A: \(String(repeating: "b", count: 300_000))",
    "\(String(repeating: "HTTP/1.1 103 Hints\r\nLink: a\r\n\r\n", count: 200))\(ok)\r\n",
    "HTTP/1.1 101 Switching\r\n\r\nbytes", "HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello",
    "\(chunked)5\r\nhello\r\n0\r\n\r\n", "\(chunked)5\r\nhel", "\(chunked)7fffffffffffffff\r\nhello",
    "\(chunked)ffffffffffffffff\r\nhello", "\(chunked)5;\(String(repeating: "a", count: 30_000))\r\nhello",
    "\(chunked)0\r\n\(String(repeating: "A: b\r\n", count: 3_000))\r\n", "\(chunked)0\r\nA\0: b\r\n\r\n",
    "\(chunked)\(String(repeating: "1\r\na\r\n", count: 3_000))0\r\n\r\nsurplus",
  ].map { Array($0.utf8) }

  /// The frames of a server, after its SETTINGS and its acknowledgement.
  static let frames: [[Frame]] = [
    [], [.head], [.head, .data("hello", ends: true)], [.head, .data("hello", ends: false)],
    [.data("hello", ends: true)], [.head, .head], [.head, Frame(0, stream: 1, flags: 8, [255])],
    [.head, Frame(0, stream: 1, flags: 9, [4, 97, 0, 0, 0, 0])], [Frame(0, stream: 3, flags: 1, [97])],
    [Frame(1, stream: 1, flags: 4, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])], [Frame(1, stream: 1, flags: 4, [0x80])],
    [Frame(1, stream: 1, flags: 4, [0x3F, 0xFF, 0xFF, 0xFF, 0x7F])], [Frame(1, stream: 1, flags: 0, [0x88])],
    [Frame(1, stream: 1, flags: 0, [0x88]), Frame(9, stream: 1, flags: 4, [])],
    [Frame(1, stream: 1, flags: 0, [0x88])] + Array(repeating: Frame(9, stream: 1, flags: 0, []), count: 300),
    [Frame(1, stream: 1, flags: 0x2C, [0xFF, 0, 0, 0, 1, 0x88])], [Frame(2, stream: 1, flags: 0, [0])],
    [Frame(3, stream: 1, flags: 0, [0, 0, 0, 8])], [Frame(3, stream: 1, flags: 0, [1])],
    [.head, Frame(3, stream: 1, flags: 0, [0, 0, 0, 0])], [Frame(4, stream: 0, flags: 0, [0, 4, 255, 255, 255, 255])],
    [Frame(4, stream: 0, flags: 0, [0, 1, 0, 0, 0, 0]), .head, .data("a", ends: true)],
    [Frame(5, stream: 1, flags: 4, [0, 0, 0, 2, 0x82])], [Frame(6, stream: 0, flags: 0, [1, 2])],
    Array(repeating: Frame(6, stream: 0, flags: 0, [1, 2, 3, 4, 5, 6, 7, 8]), count: 2_000),
    [Frame(7, stream: 0, flags: 0, [0, 0, 0, 0, 0, 0, 0, 0])], [.head, Frame(7, stream: 0, flags: 0, [0, 0, 0, 1])],
    [Frame(8, stream: 1, flags: 0, [0x7F, 0xFF, 0xFF, 0xFF]), .head, .data("a", ends: true)],
    [Frame(8, stream: 0, flags: 0, [0, 0, 0, 0])], [Frame(99, stream: 1, flags: 255, [1, 2, 3]), .head],
    [.head] + Array(repeating: .data("", ends: false), count: 2_000),
  ]

  /// Makes an exchange that ends with a response or an error, and then one of another server that succeeds.
  private func check(_ pieces: [[UInt8]], _ version: ProtocolVersion) async throws {
    let transport = NativeTransport()
    let peer = try HostilePeer(pieces)
    let honest = try HostilePeer([Array("\(Self.ok)Content-Length: 2\r\n\r\nok".utf8)])
    // Two at once, so that HTTP/2 has two streams.
    async let other = try? exchange(transport, peer, version)
    _ = try? await exchange(transport, peer, version)
    _ = await other
    #expect(try await exchange(transport, honest, .http1_1) == Array("ok".utf8))
    await transport.shutdown()
  }

  /// Returns the content of the response.
  private func exchange(
    _ transport: NativeTransport, _ peer: HostilePeer, _ version: ProtocolVersion
  ) async throws -> [UInt8] {
    var request = try OutgoingRequest(url: HTTPURL("http://127.0.0.1:\(peer.port)/"))
    request.options.version = version
    let context = TransferContext(
      id: RequestID(1), connectTimeout: .seconds(10), control: ExchangeControl(),
      sink: { _ in .stream(window: 1 << 10) })
    let response = try await transport.send(request, in: context)
    var content: [UInt8] = []
    while let piece = try await response.body.next() { content += piece }
    _ = try await response.body.end()
    return content
  }

  /// Shows that the other tests reach the readers of both versions.
  @Test func `a valid response of each version is read`() async throws {
    let transport = NativeTransport()
    let text = try HostilePeer([Array("\(Self.ok)Content-Length: 5\r\n\r\nhello".utf8)])
    #expect(try await exchange(transport, text, .http1_1) == Array("hello".utf8))
    let frames = try HostilePeer([Frame.greeting + Frame.head.bytes + Frame.data("hello", ends: true).bytes])
    #expect(try await exchange(transport, frames, .http2) == Array("hello".utf8))
    await transport.shutdown()
  }

  @Test(arguments: texts) func `hostile responses of HTTP/1.1 touch no memory of others`(text: [UInt8]) async throws {
    try await check([text], .http1_1)
    if text.count < 1_000 { try await check(text.map { [$0] }, .http1_1) }
  }

  @Test(arguments: frames) func `hostile frames of HTTP/2 touch no memory of others`(frames: [Frame]) async throws {
    let bytes = frames.reduce(Frame.greeting) { $0 + $1.bytes }
    try await check([bytes], .http2)
    if bytes.count < 1_000 { try await check(bytes.map { [$0] }, .http2) }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `responses with random changes touch no memory of others`(seed: UInt64) async throws {
    var random = Random(state: seed)
    let text = Self.texts.filter { $0.count < 1_000 }.randomElement(using: &random) ?? []
    try await check([random.changed(text)], .http1_1)
    let frames = Self.frames.filter { $0.count < 10 }.randomElement(using: &random) ?? []
    try await check([Frame.greeting + random.changed(frames.reduce([]) { $0 + $1.bytes })], .http2)
  }
}

/// A frame of HTTP/2 (RFC 9113 section 4.1).
struct Frame: Sendable {
  let bytes: [UInt8]

  init(_ type: UInt8, stream: UInt8, flags: UInt8, _ payload: [UInt8]) {
    bytes = [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
  }

  /// The first frames of a server: SETTINGS, and the acknowledgement of the client's.
  static let greeting = Frame(4, stream: 0, flags: 0, []).bytes + Frame(4, stream: 0, flags: 1, []).bytes
  /// Status 200 on the first stream.
  static let head = Frame(1, stream: 1, flags: 4, [0x88])

  static func data(_ text: String, ends: Bool) -> Frame {
    Frame(0, stream: 1, flags: ends ? 1 : 0, Array(text.utf8))
  }
}

/// Random numbers that a seed determines (SplitMix64).
private struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The bytes with up to eight changes: a byte replaced, inserted or removed.
  mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...8, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let byte = UInt8.random(in: .min ... .max, using: &self)
      switch Int.random(in: 0..<3, using: &self) {
      case 0: bytes.insert(byte, at: place)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case _ where place < bytes.count: bytes[place] = byte
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
