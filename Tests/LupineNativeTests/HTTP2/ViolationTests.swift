import LupineCore
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

@testable import LupineNative

/// Violations of HTTP/2 on one stream, after which the peer closes the connection.
@Suite(.timeLimit(.minutes(1))) struct ViolationTests {
  private typealias Frame = HTTP2Peer.Frame

  static let violations: [String: [[UInt8]]] = [
    "a body that is too short": [
      Frame.head(1, [("content-length", "5")]).bytes, Frame.data(1, "abc", ends: true).bytes,
    ],
    "a body that is too long": [
      Frame.head(1, [("content-length", "2")]).bytes, Frame.data(1, "abc", ends: true).bytes,
    ],
    "a length without a body": [Frame.head(1, [("content-length", "5")], ends: true).bytes],
    "a field with a name in upper case": [Frame.head(1, [("Upper", "x")], ends: true).bytes],
    "a status below 100": [Frame(type: 1, flags: 5, stream: 1, payload: Frame.block([(":status", "099")])).bytes],
    "no status": [Frame(type: 1, flags: 5, stream: 1, payload: Frame.block([("a", "b")])).bytes],
    "a second head": [Frame.head(1).bytes, Frame.head(1).bytes],
  ]

  /// The connection ends in the same turn, or after nghttp2 has reset the stream.
  @Test(arguments: violations.keys.sorted(), [false, true])
  func `a violation is a malformed response although the connection ends`(name: String, isReset: Bool) throws {
    let bytes = Frame(type: 4).bytes + (Self.violations[name] ?? []).joined()
    for place in 0...bytes.count {
      let stage = try SessionStage()
      for part in [bytes[..<place], bytes[place...]] { if isReset { stage.receive(part) } else { stage.read(part) } }
      stage.session.connectionEnded(HTTP2Failure.lost)
      #expect(stage.events.last == "closed malformedResponse", "\(stage.events), cut at \(place)")
    }
  }

  @Test func `a body that the end of the connection cuts is lost, not malformed`() throws {
    let head = Frame(type: 4).bytes + Frame.head(1, [("content-length", "5")]).bytes
    let bytes = head + Frame.data(1, "abcde", ends: true).bytes
    for count in 0..<bytes.count {
      let stage = try SessionStage()
      stage.read(bytes[..<count])
      stage.session.connectionEnded(HTTP2Failure.lost)
      #expect(stage.events.last == "closed connectionLost")
    }
  }

  @Test(arguments: violations.keys.sorted(), [false, true])
  func `the error speaks of HTTP 2, and not of status lines`(name: String, isSecured: Bool) async throws {
    let bytes = [UInt8]((Self.violations[name] ?? []).joined())
    let peer = try HTTP2Peer(isSecured: isSecured) { _, _ in [.raw(bytes), .close] }
    defer { peer.stop() }
    let client = Client.trusting(isNative: true)
    let error = await client.failure(peer.url) { $0.options.version = .http2 }
    #expect(error?.kind == .malformedResponse)
    let message = error?.message ?? ""
    #expect(!message.contains("status line") && !message.contains("9112"), "\(message)")
    await client.transport.shutdown()
  }

  @Test(arguments: [false, true])
  func `the error of a lost connection names no rule of HTTP 1`(isSecured: Bool) async throws {
    let peer = try HTTP2Peer(isSecured: isSecured) { stream, _ in [.send(.head(stream)), .close] }
    defer { peer.stop() }
    let client = Client.trusting(isNative: true)
    let error = await client.failure(peer.url) { $0.options.version = .http2 }
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("9112") == false)
    await client.transport.shutdown()
  }
}
