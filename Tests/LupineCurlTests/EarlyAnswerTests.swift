import LupineCore
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

/// Complete responses that arrive before the end of the upload, after which libcurl sends no more of it.
///
/// Over libcurl alone: the native transport keeps the connection, and the peer here answers no second request on it.
/// `TransportTests/EarlyAnswerTests` runs over both.
@Suite(.timeLimit(.minutes(2))) struct EarlyAnswerTests {
  @Test(arguments: ["204", "304", "Content-Length", "no content"])
  func `an HTTP 2 response before the end of the upload is returned although the server stops reading`(
    proof: String
  ) async throws {
    let answer =
      switch proof {
      case "204": HTTP2Script.head(status: 204, ends: true)
      case "304": HTTP2Script.head(status: 304, ends: true)
      case "no content": HTTP2Script.head(length: 0, ends: true)
      default: HTTP2Script.head(length: 5) + HTTP2Script.data("hello", ends: true)
      }
    // SETTINGS_INITIAL_WINDOW_SIZE is 0: the client cannot send its body.
    let settings = HTTP2Script.frame(4, [0, 4, 0, 0, 0, 0]) + HTTP2Script.frame(4, flags: 1)
    let peer = try WirePeer(WirePeer.Line(isMultiplexed: true), greeting: settings, ending: .none)
    defer { peer.stop() }
    let client = Client.trusting()
    for pieces in WirePeer.Pieces.allCases.flatMap({ $0.cuts(of: answer) }) {
      peer.play(pieces)
      let response = try await client.fetch(
        peer.url, method: .post, body: .text(String(repeating: "x", count: 100_000))
      ) { $0.options.version = .http2 }
      #expect(response.text == (proof == "Content-Length" ? "hello" : ""))
    }
    await client.transport.shutdown()
  }
}
