import HTTPTypes
import LupineCore
import LupineFixtures
import Testing
import TransportSupport
import TrustSupport

/// Responses over HTTP/2 whose connections end after every number of the server's bytes, from its first SETTINGS frame.
@Suite(.overEachTransport, .serialized, .timeLimit(.minutes(2))) struct HTTP2TruncationTests {
  /// The frames of a server, of which one ends the stream of the response.
  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The frames up to the one with END_STREAM.
    let response: [UInt8]
    let content: String
    /// A frame of the connection that follows.
    let rest = HTTP2Script.frame(6, [UInt8](repeating: 1, count: 8))

    init(_ name: String, _ frames: [[UInt8]], content: String) {
      testDescription = name
      response = HTTP2Script.greeting + frames.joined()
      self.content = content
    }
  }

  /// The way in which a connection with or without TLS ends.
  struct End: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isSecured: Bool
    let ending: WirePeer.Ending
  }

  static let scripts = [
    Script(
      "a body in several DATA frames",
      [
        HTTP2Script.head(), HTTP2Script.data("he"), HTTP2Script.data("ll"), HTTP2Script.data("o"),
        HTTP2Script.data("", ends: true),
      ], content: "hello"),
    // Literal fields without indexing (RFC 7541 section 6.2.2), in HEADERS and CONTINUATION.
    Script(
      "a head and trailers with CONTINUATION",
      [
        HTTP2Script.frame(1, stream: 1, [0x88]), HTTP2Script.frame(9, stream: 1, [0, 1, 0x61]),
        HTTP2Script.frame(9, flags: 4, stream: 1, [1, 0x62]), HTTP2Script.data("hi"),
        HTTP2Script.frame(1, flags: 1, stream: 1, [0, 1, 0x63]), HTTP2Script.frame(9, flags: 4, stream: 1, [1, 0x64]),
      ], content: "hi"),
  ]

  static let ends = [
    End(testDescription: "FIN", isSecured: false, ending: .cut),
    End(testDescription: "FIN without close_notify", isSecured: true, ending: .cut),
    End(testDescription: "close_notify", isSecured: true, ending: .close),
    End(testDescription: "reset", isSecured: false, ending: .reset),
  ]

  @Test(arguments: scripts, ends)
  func `a response that is cut at any byte is whole only if the end of its stream has arrived`(
    script: Script, end: End
  ) async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: end.isSecured, isMultiplexed: true), ending: end.ending)
    defer { peer.stop() }
    var client = Client.trusting()
    // Otherwise the next request could use the connection before its end arrives.
    client.options.isKeptAlive = false
    let bytes = script.response + script.rest
    for count in 0...bytes.count {
      peer.play([bytes[..<count]])
      let (content, error) = await receive(peer.url, client)
      let isWhole = count >= script.response.count
      // A reset may overtake the bytes before it, and libcurl does not report that the end of the stream has arrived.
      let mustSucceed = isWhole && end.ending != .reset && TestTransport.isNative
      if mustSucceed || !isWhole {
        #expect((error == nil) == isWhole, "after \(count) bytes: \(String(describing: error))")
      }
      if let error { #expect(error.kind == .connectionLost, "after \(count) bytes: \(error)") }
      if error == nil { #expect(content == script.content, "after \(count) bytes") }
      #expect(script.content.hasPrefix(content), "after \(count) bytes")
    }
    #expect(peer.requestCount == bytes.count + 1)
    await client.transport.shutdown()
  }

  /// Returns the content that arrives, and the error after it.
  private func receive(_ url: String, _ client: Client) async -> (String, LupineError?) {
    var content: [UInt8] = []
    do throws(LupineError) {
      var request = OutgoingRequest(url: try HTTPURL(url))
      request.options.version = .http2
      let response = try await client.transport.send(request, in: client.context(sink: .stream(window: 100)))
      while let piece = try await response.body.next() { content += piece }
      return (String(decoding: content, as: UTF8.self), nil)
    } catch {
      return (String(decoding: content, as: UTF8.self), error)
    }
  }
}
