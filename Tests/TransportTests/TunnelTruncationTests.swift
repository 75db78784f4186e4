import HTTPTypes
import LupineCore
import LupineFixtures
import Testing
import TransportSupport
import TrustSupport

/// Bodies without a length, which the end of the connection delimits, through a tunnel of squid.
@Suite(.overEachTransport, .enabled(if: Peers.squid != nil || Peers.areRequired), .timeLimit(.minutes(1)))
struct TunnelTruncationTests {
  private static let answer = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello".utf8)

  private func client(isSecured: Bool) throws -> Client {
    var client = Client.trusting()
    client.connectionKey.proxy = try Proxy(try #require(isSecured ? Peers.squidTLS : Peers.squid))
    return client
  }

  @Test(arguments: [false, true], WirePeer.Pieces.allCases)
  func `a body through a tunnel that TLS ends without close_notify is not whole, and what came is kept`(
    isProxySecured: Bool, pieces: WirePeer.Pieces
  ) async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), ending: .cut)
    defer { peer.stop() }
    let client = try client(isSecured: isProxySecured)
    for pieces in pieces.cuts(of: Self.answer) {
      peer.play(pieces)
      let response = try await client.transport.send(
        OutgoingRequest(url: HTTPURL(peer.url)), in: client.context(sink: .stream(window: 100)))
      #expect(response.head.status == .ok)
      var content: [UInt8] = []
      let error = await #expect(throws: LupineError.self) {
        while let piece = try await response.body.next() { content += piece }
      }
      #expect(error?.kind == .connectionLost, "\(pieces.map(\.count))")
      #expect(content == Array("hello".utf8), "\(pieces.map(\.count))")
    }
    await client.transport.shutdown()
  }

  @Test(arguments: [false, true], WirePeer.Pieces.allCases)
  func `a body through a tunnel that close_notify ends is whole`(
    isProxySecured: Bool, pieces: WirePeer.Pieces
  ) async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), ending: .close)
    defer { peer.stop() }
    let client = try client(isSecured: isProxySecured)
    for pieces in pieces.cuts(of: Self.answer) {
      peer.play(pieces)
      #expect(try await client.fetch(peer.url).text == "hello", "\(pieces.map(\.count))")
    }
    await client.transport.shutdown()
  }
}
