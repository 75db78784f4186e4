import FoundationEssentials
import LupineCore
import PeerSupport
import Testing
import TransportSupport

/// Inputs for which versions of libcurl have used freed memory; `SecurityTests/LibcurlMemory.md` lists them.
///
/// An error in memory may end the process, or pass unnoticed without the address sanitizer.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct MemoryErrorTests {
  private typealias Frame = HTTP2Peer.Frame

  private static let ok: @Sendable (UInt32, Int) -> [HTTP2Peer.Step] = { stream, _ in
    [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
  }

  @Test(arguments: [false, true]) func `a pushed stream is an error`(isSecured: Bool) async throws {
    let request = Frame.block([(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/")])
    let peer = try HTTP2Peer(isSecured: isSecured) { stream, _ in
      [
        .send(Frame(type: 5, flags: 4, stream: stream, payload: Frame.bytes(2) + request)),
        .send(.head(2)), .send(.data(2, "pushed", ends: true)),
        .send(.head(stream)), .send(.data(stream, "ok", ends: true)),
      ]
    }
    defer { peer.stop() }
    let client = Client.trusting()
    for _ in 1...20 {
      let error = await client.failure(peer.url) { $0.options.version = .http2 }
      #expect(error?.kind == .malformedResponse)
    }
    await client.transport.shutdown()
  }

  /// REFUSED_STREAM and HTTP_1_1_REQUIRED (RFC 9113 section 7).
  @Test(arguments: [7, 13] as [UInt32]) func `uploads that are reset end, and others go on`(code: UInt32) async throws {
    let peer = try HTTP2Peer(
      isSecured: true, onHead: { $0 % 4 == 1 ? [.send(.reset($0, code: code))] : [] }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.trusting()
    for _ in 1...10 {
      await withTaskGroup { group in
        for _ in 1...8 {
          group.addTask {
            let body = RequestBody.bytes(Data(repeating: 0x61, count: 200_000))
            return await client.failure(peer.url, method: .post, body: body) { $0.options.version = .http2 }
          }
        }
        for await error in group { #expect(error == nil || error?.kind == .connectionLost || error?.kind == .other) }
      }
    }
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    await client.transport.shutdown()
  }
}
