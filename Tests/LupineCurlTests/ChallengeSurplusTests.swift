import LupineCore
import PeerSupport
import Testing
import TransportSupport

/// Bytes after a challenge for the connection, such as one of NTLM, which libcurl answers itself.
@Suite(.timeLimit(.minutes(1))) struct ChallengeSurplusTests {
  private static let good = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood".utf8)
  private static let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)

  /// A CHALLENGE_MESSAGE of NTLM.
  private static let challenge = "TlRMTVNTUAACAAAAAAAAADAAAAABAoEAASNFZ4mrze8AAAAAAAAAAAAAAAAAAAAA"

  @Test(arguments: [
    ("Content-Length: 0\r\n\r\n", ""), ("Content-Length: 2\r\n\r\n", "no"),
    ("Transfer-Encoding: chunked\r\n\r\n", "2\r\nno\r\n0\r\n\r\n"),
  ])
  func `bytes after a challenge that libcurl answers are an error and not the response`(
    framing: String, content: String
  ) async throws {
    let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM \(Self.challenge)\r\n\(framing)"
    for place in [0, 1, 17, Self.evil.count] {
      let (first, rest) = (Array((head + content).utf8) + Self.evil[..<place], Array(Self.evil[place...]))
      for start in Set([0, head.utf8.count]) {
        let records = [Array(first[..<start]), Array(first[start...])]
        let server = try TLSPeer { _, index in
          index == 0 ? TLSPeer.Reply(records: records) : TLSPeer.Reply(records: [place == 0 ? Self.good : rest])
        }
        defer { server.stop() }
        var client = Client.trusting()
        client.connectionKey.connectionCredential = .ntlm(username: "ali", password: "sesame")
        if place == 0 {
          #expect(try await client.fetch(server.url).text == "good")
        } else if start == 0 || !content.isEmpty {
          #expect(await client.failure(server.url)?.kind == .malformedResponse, "\(place), \(start)")
        }
        await client.transport.shutdown()
      }
    }
  }
}
