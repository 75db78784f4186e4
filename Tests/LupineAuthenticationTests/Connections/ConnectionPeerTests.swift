import HTTPTypes
import LupineAuthentication
import LupineCore
import LupineSession
import LupineFixtures
import Testing
import TransportSupport

/// Negotiate with apache2, mod_auth_gssapi and a KDC, and NTLM with pyspnego.
@Suite(
  .overEachTransport(needs: [.connectionAuthentication]),
  .enabled(if: Peers.ntlm != nil || Peers.areRequired))
struct ConnectionPeerTests {
  private static let connection = HTTPField.Name("X-Connection") ?? .server

  private static func session(
    _ plugin: ConnectionAuthentication?, _ transport: any Transport = TestTransport.make(),
    _ exchanges: ExchangeCount = ExchangeCount()
  ) throws -> Session {
    let builder = Session.Builder().transport(transport).timeouts(total: .seconds(30)).monitor(exchanges)
    return try (plugin.map { builder.install($0) } ?? builder).build()
  }

  private static func ntlm(_ password: String = "Circle of Life") -> ConnectionAuthentication {
    .ntlm(username: "LUPINE\\mufasa", password: password, to: .anyOrigin)
  }

  private static func send(
    _ session: Session, _ body: RequestBody = .none, method: HTTPRequest.Method = .get
  ) async throws -> DataResponse<String> {
    let request = try OutgoingRequest(try #require(Peers.ntlm) + "/", method: method, body: body)
    return await session.request(request).serializingString().response
  }

  @Test func `NTLM lets the right password in`() async throws {
    #expect(try await Self.send(Self.session(Self.ntlm())).value == "LUPINE\\mufasa 0\n")
  }

  @Test func `NTLM refuses a wrong password with a 401, once`() async throws {
    let exchanges = ExchangeCount()
    let response = try await Self.send(Self.session(Self.ntlm("wrong"), TestTransport.make(), exchanges))
    #expect(response.response?.status == .unauthorized)
    #expect(response.value == "wrong password\n")
    #expect(response.response?.headerFields[HTTPField.Name("X-Proofs") ?? .server] == "1")
    #expect(exchanges.count == 1)
  }

  @Test func `NTLM takes a body after the connection is proved, known or streamed`() async throws {
    let session = try Self.session(Self.ntlm())
    let text = String(repeating: "x", count: 100_000)
    for _ in 1...2 {
      #expect(try await Self.send(session, .text(text), method: .post).value == "LUPINE\\mufasa 100000\n")
    }
  }

  @Test func `a connection that is proved serves its own credential alone`() async throws {
    let transport = TestTransport.make()
    let proved = try Self.session(Self.ntlm(), transport)
    let first = try await Self.send(proved)
    let again = try await Self.send(proved)
    #expect(again.response?.headerFields[Self.connection] == first.response?.headerFields[Self.connection])
    for plugin in [nil, Self.ntlm("wrong")] {
      let other = try await Self.send(Self.session(plugin, transport))
      #expect(other.response?.status == .unauthorized)
      #expect(other.response?.headerFields[Self.connection] != first.response?.headerFields[Self.connection])
    }
    await transport.shutdown()
  }

  @Test func `Negotiate shows the tickets of the cache to apache`() async throws {
    let url = try #require(Peers.apache) + "/negotiate/hello"
    let session = try Self.session(.negotiate(to: .anyOrigin))
    for _ in 1...2 {
      let response = await session.request(url).serializingString().response
      #expect(response.value == "Hello from apache\n")
      #expect(response.response?.headerFields[HTTPField.Name("X-User") ?? .server] == "mufasa@LUPINE.TEST")
    }
  }

  @Test func `Negotiate sends a body`() async throws {
    let url = try #require(Peers.apache) + "/negotiate/hello"
    let request = try OutgoingRequest(url, method: .post, body: .text(String(repeating: "x", count: 100_000)))
    let response = await (try Self.session(.negotiate(to: .anyOrigin))).request(request).serializingString().response
    #expect(response.value == "Hello from apache\n")
  }

  @Test func `without the plugin the response is apache's 401, and the error names the module`() async throws {
    let url = try #require(Peers.apache) + "/negotiate/hello"
    let response = await (try Self.session(nil)).request(url).validate().serializingString().response
    #expect(response.error?.kind == .unacceptableStatusCode(401))
    #expect(response.error?.message.contains("LupineAuthentication") == true)
  }

  @Test func `a server without Negotiate answers as it would`() async throws {
    let response = await (try Self.session(.negotiate(to: .anyOrigin)))
      .request(try #require(Peers.apache) + "/digest/hello").serializingString().response
    #expect(response.response?.status == .unauthorized)
  }
}
