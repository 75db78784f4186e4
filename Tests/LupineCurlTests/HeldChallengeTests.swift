import HTTPTypes
import LupineCore
import LupineCurl
import LupineTesting
import Testing
import TransportSupport

/// The content of challenges that libcurl itself parses and answers.
@Suite(.timeLimit(.minutes(1))) struct HeldChallengeTests {
  enum Sender: String, CaseIterable, Sendable {
    case server, proxy

    var statusLine: String {
      self == .server ? "HTTP/1.1 401 Unauthorized" : "HTTP/1.1 407 Proxy Authentication Required"
    }

    var field: String { self == .server ? "WWW-Authenticate" : "Proxy-Authenticate" }
  }

  private static let chunked = "Transfer-Encoding: chunked\r\n\r\n"
  private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
  private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"

  /// A CHALLENGE_MESSAGE of NTLM.
  private static let ntlm = "NTLM TlRMTVNTUAACAAAAAAAAADAAAAABAoEAASNFZ4mrze8AAAAAAAAAAAAAAAAAAAAA"

  /// The result of an exchange whose first response is a challenge with this framing, and whose next one is `second`.
  private func outcome(
    _ sender: Sender, _ framing: String, second: String = good, tolerating tolerances: ResponseTolerances = []
  ) async throws -> Result<Fetched, LupineError> {
    let head = "\(sender.statusLine)\r\n\(sender.field): \(Self.ntlm)\r\n"
    let server = try ScriptedServer { .verbatim($0.index == 0 ? head + framing : second) }
    defer { server.stop() }
    var client = Client()
    client.tolerances = tolerances
    let credential = ConnectionCredential.ntlm(username: "ali", password: "sesame")
    if sender == .server {
      client.connectionKey.connectionCredential = credential
    } else {
      client.connectionKey.proxy = try Proxy(server.url).connectionCredential(credential)
    }
    let outcome: Result<Fetched, LupineError>
    do {
      outcome = .success(try await client.fetch(sender == .server ? server.url : "http://a.example/"))
    } catch {
      outcome = .failure(try #require(error as? LupineError))
    }
    await client.transport.shutdown()
    return outcome
  }

  @Test(
    arguments: Sender.allCases,
    ["Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\nno", chunked + "2\r\nno\r\n0\r\n\r\n"])
  func `a challenge whose content is whole is answered`(sender: Sender, framing: String) async throws {
    #expect(try await outcome(sender, framing).get().text == "good")
  }

  @Test(
    arguments: Sender.allCases,
    ["Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\nno", chunked + "2\r\nno\r\n0\r\n\r\n"])
  func `surplus behind a challenge is an error and no answer`(sender: Sender, framing: String) async throws {
    for place in [1, 17, Self.evil.utf8.count] {
      let outcome = try await outcome(
        sender, framing + Self.evil.prefix(place), second: String(Self.evil.dropFirst(place)))
      #expect(throws: LupineError.self, "\(place)") { try outcome.get() }
    }
  }

  @Test(
    arguments: Sender.allCases,
    [
      "2\r\nno\r\n0x5\r\n\r\n", "2g\r\nno\r\n0\r\n\r\n", "2 \r\nno\r\n0\r\n\r\n", "2\nno\r\n0\r\n\r\n",
      "2\r\nno\r\n0\n\r\n", "2\r\nno\r\n0\r\n\n",
    ])
  func `a challenge whose chunks break the grammar is not answered`(sender: Sender, chunks: String) async throws {
    let outcome = try await outcome(sender, Self.chunked + chunks)
    guard case .failure(let error) = outcome else {
      Issue.record("The challenge was answered.")
      return
    }
    #expect([.malformedResponse, .connectionLost].contains(error.kind), "\(error)")
  }

  @Test(
    arguments: Sender.allCases,
    [chunked + "2 \r\nno\r\n0\r\n\r\n", "Content-Length: 2\nX: y\r\n\r\nno"])
  func `a challenge that is accepted by a tolerance alone is not answered`(sender: Sender, framing: String) async throws
  {
    let outcome = try await outcome(sender, framing, tolerating: [.spaceAfterChunkSize, .bareLineFeeds])
    #expect(throws: LupineError.self) { try outcome.get() }
  }
}
