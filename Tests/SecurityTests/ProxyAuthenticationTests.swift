import Lupine
import LupineTesting
import Testing
import TransportSupport

/// The bytes of the credentials that a proxy receives, and the end of a request whose proxy accepts no credential.
@Suite(.overEachTransport) struct ProxyAuthenticationTests {
  private static let digest = "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"

  private func error(_ session: Session, _ url: String) async -> LupineError? {
    await session.request(url).validate().serializingData().response.error
  }

  private static func refusal(_ challenge: String) -> ScriptedReply {
    .respond(status: 407, fields: ["Proxy-Authenticate": challenge], body: .text("who?"))
  }

  /// A proxy that accepts any answer to its challenge, forwards no request, and closes its tunnels at once.
  private static func proxy() throws -> ScriptedServer {
    try ScriptedServer { request in
      if request.fields["Proxy-Authorization"] == nil { return refusal(digest) }
      return request.method == .connect
        ? ScriptedReply([.head(status: 200, fields: [:])], connection: .close) : .respond(body: .text("x"))
    }
  }

  private func session(_ proxy: ScriptedServer, _ user: String = "ali:geheim@") throws -> Session {
    try networkSession {
      $0.proxy(proxy.url.replacing("://", with: "://\(user)")).install(.authentication).header(.custom, "mine")
    }
  }

  @Test(arguments: ["/a/%2F?b=%C3%BC", "/a/%2f", "/", "/a?b"])
  func `a forwarded request carries the answer for the very target of its request line`(path: String) async throws {
    let proxy = try Self.proxy()
    let url = "http://a.example.com:8080" + path
    #expect(await error(try session(proxy), url) == nil)
    #expect(proxy.requests.map(\.target) == [url, url])
    let value = try #require(proxy.requests.last?.fields["Proxy-Authorization"])
    #expect(AuthenticationChallenge.parse([value]).first?.parameters["uri"] == url)
    #expect(proxy.requests.allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test func `a CONNECT carries the answer, and nothing that is meant for the server`() async throws {
    let proxy = try Self.proxy()
    #expect(await error(try session(proxy), "https://a.example.com/secret?token=1") != nil)
    let heads = proxy.requests.prefix(2)
    #expect(heads.map(\.method.rawValue) == ["CONNECT", "CONNECT"])
    #expect(heads.allSatisfy { $0.target == "a.example.com:443" && $0.fields["X-Custom"] == nil })
    let value = try #require(heads.last?.fields["Proxy-Authorization"])
    #expect(AuthenticationChallenge.parse([value]).first?.parameters["uri"] == "a.example.com:443")
  }

  @Test func `two users of a proxy by Digest share no connection`() async throws {
    let proxy = try Self.proxy()
    let transport = TestTransport.make()
    for user in ["ali:x@", "eve:x@", "ali:x@", "ali:y@"] {
      let session = try Session.Builder().transport(transport).install(.authentication)
        .proxy(proxy.url.replacing("://", with: "://\(user)")).build()
      #expect(await error(session, "http://a.example.com/") == nil)
    }
    #expect(proxy.connectionCount == 3)
    await transport.shutdown()
  }

  @Test(arguments: ["http", "https"], [digest, digest + ", stale=true", "Basic realm=x"])
  func `a proxy that always sends a challenge is answered once, or twice if the nonce was stale`(
    scheme: String, challenge: String
  ) async throws {
    let proxy = try ScriptedServer(always: Self.refusal(challenge))
    #expect(await error(try session(proxy), "\(scheme)://a.example.com/")?.kind == .unacceptableStatusCode(407))
    #expect(proxy.requests.count == (challenge.contains("stale") ? 3 : 2))
  }

  @Test(
    .overEachTransport(needs: [.connectionAuthentication]), .timeLimit(.minutes(1)), arguments: ["http", "https"],
    ["NTLM", "NTLM TlRMTVNTUAACAAAA", "Negotiate", "Basic"])
  func `a proxy that never takes a proof of the connection ends the request`(
    scheme: String, challenge: String
  ) async throws {
    let proxy = try ScriptedServer(always: Self.refusal(challenge))
    for credential in [ConnectionCredential.ntlm(username: "L\\ali", password: "geheim"), .negotiate] {
      let session = try networkSession(total: .seconds(20)) { $0.proxy(proxy.url, proving: credential) }
      let before = proxy.requests.count
      let kind = await error(session, "\(scheme)://a.example.com/")?.kind
      #expect(kind == .unacceptableStatusCode(407) || kind == .proxyFailed || kind == .connectionFailed)
      #expect(proxy.requests.count <= before + 10)
    }
  }

  @Test(arguments: ["http", "https"])
  func `events, descriptions and errors do not show the credential that its proxy received`(scheme: String) async throws
  {
    let proxy = try Self.proxy()
    let journal = Journal()
    let session = try networkSession {
      $0.proxy(proxy.url.replacing("://", with: "://ali:geheim@")).install(.authentication).monitor(journal)
    }
    let response = await session.request("\(scheme)://a.example.com/").serializingData().response
    let value = try #require(
      proxy.requests.last { $0.fields["Proxy-Authorization"] != nil }?.fields["Proxy-Authorization"])
    let secret = try #require(AuthenticationChallenge.parse([value]).first?.parameters["response"])
    #expect(!(journal.text + "\(response)" + String(reflecting: response)).contains(secret))
    #expect(!journal.text.contains("geheim"))
  }

  @Test func `a challenge with control bytes puts no line of its own into the answer`() async throws {
    let proxy = try ScriptedServer { request in
      request.fields["Proxy-Authorization"] == nil
        ? Self.refusal("Digest realm=\"p\tq\", nonce=\"n\\\"\", qop=\"auth\"") : .respond(body: .text("x"))
    }
    #expect(await error(try session(proxy), "http://a.example.com/") == nil)
    let lines = proxy.requests.map { String(decoding: $0.rawHead, as: UTF8.self).split(separator: "\r\n") }
    #expect(lines.map(\.count) == [lines[0].count, lines[0].count + 1])
    let value = try #require(proxy.requests.last?.fields["Proxy-Authorization"])
    #expect(value.contains("realm=\"p\tq\", ") && value.contains("nonce=\"n\\\"\", "))
  }
}
