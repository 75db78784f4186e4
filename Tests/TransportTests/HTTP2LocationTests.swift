import HTTPTypes
import LupineCore
import LupineSession
import PeerSupport
import Testing
import TransportSupport

/// Redirects over HTTP/2 whose `Location` is not one field in ASCII.
///
/// `LupineTests/RepeatedFieldTests` has the same cases over HTTP/1.1.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct HTTP2LocationTests {
  private typealias Frame = HTTP2Peer.Frame

  /// A literal field without indexing or Huffman coding (RFC 7541 section 6.2.2).
  private static func location(_ value: [UInt8]) -> [UInt8] {
    let name = Array("location".utf8)
    return [0, UInt8(name.count)] + name + [UInt8(value.count)] + value
  }

  /// Answers the first request with a redirect, and returns the target of the last request.
  private func follow(_ locations: [[UInt8]]) async throws -> (target: String?, error: LupineError?, requests: Int) {
    let peer = try HTTP2Peer(isSecured: true) { stream, number in
      guard number == 0 else {
        return [.send(.head(stream, [("content-length", "2")])), .send(.data(stream, "ok", ends: true))]
      }
      let fields = Frame.block([(":status", "302")]) + locations.flatMap { Self.location($0) }
      return [.send(Frame(type: 1, flags: 5, stream: stream, payload: fields))]
    }
    defer { peer.stop() }
    let client = Client.trusting()
    let session = try Session.Builder().transport(client.transport).httpVersion(.http2).build()
    let response = await session.request(peer.url + "start").serializingString().response
    await client.transport.shutdown()
    return (response.request?.url.absoluteTarget, response.error, peer.requestCount)
  }

  @Test(
    arguments: [
      ([0x2F, 0x63, 0x61, 0x66, 0xE9], "/caf%E9"), ([0x2F, 0xC3, 0xA9], "/%C3%A9"),
      ([0x2F, 0xC3, 0xA9, 0xE9], "/%C3%A9%E9"), ([0x3F, 0x71, 0x3D, 0xFF], "/start?q=%FF"), ([0x2F, 0x80], "/%80"),
    ] as [([UInt8], String)])
  func `bytes above 0x7F in a location are percent-encoded as they came`(location: [UInt8], target: String)
    async throws
  {
    let (last, error, requests) = try await follow([location])
    #expect(last?.hasSuffix(target) == true, "\(last ?? "none")")
    #expect(error == nil && requests == 2)
  }

  @Test func `two equal locations are one`() async throws {
    let (last, error, requests) = try await follow([Array("/next".utf8), Array("/next".utf8)])
    #expect(last?.hasSuffix("/next") == true)
    #expect(error == nil && requests == 2)
  }

  @Test func `two different locations are an error that says so`() async throws {
    let (_, error, requests) = try await follow([Array("/a".utf8), Array("/b".utf8)])
    #expect(error?.kind == .redirectFailed)
    #expect(error?.message.contains("2 Location fields that differ") == true)
    #expect(error?.response?.status == .found && requests == 1)
  }
}
