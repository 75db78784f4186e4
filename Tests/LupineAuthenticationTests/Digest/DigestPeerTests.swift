import HTTPTypes
import LupineAuthentication
import LupineCookies
import LupineCore
import LupineSession
import LupineCurl
import LupineFixtures
import LupineMock
import Testing
import TransportSupport

/// Digest and Basic with servers of other projects: mod_auth_digest and mod_auth_basic of apache2, and httpbin.
@Suite(.overEachTransport, .enabled(if: Peers.apache != nil || Peers.areRequired))
struct DigestPeerTests {
  private static let credential = Credential(username: "mufasa", password: "Circle of Life")
  private static let seen = HTTPField.Name("X-Authorization") ?? .server
  private static let user = HTTPField.Name("X-User") ?? .server

  private static func session() throws -> Session {
    try Session.Builder().transport(.curl).timeouts(total: .seconds(30)).install(.authentication).build()
  }

  private static func get(
    _ session: Session, _ path: String, _ credential: Credential = DigestPeerTests.credential
  ) async throws -> DataResponse<String> {
    await session.request(try #require(Peers.apache) + path).authenticate(with: credential).serializingString().response
  }

  @Test(arguments: ["/basic/hello", "/digest/hello", "/next-nonce/hello", "/digest/hello?a=b&c=%20d"])
  func `apache lets the right password in`(path: String) async throws {
    let response = try await Self.get(Self.session(), path)
    #expect(response.value == "Hello from apache\n")
    #expect(response.response?.headerFields[Self.user] == "mufasa")
  }

  @Test(arguments: ["/basic/hello", "/digest/hello", "/next-nonce/hello"])
  func `apache refuses a wrong password, once`(path: String) async throws {
    let journal = ExchangeCount()
    let session = try Session.Builder().transport(.curl).timeouts(total: .seconds(30)).install(.authentication)
      .monitor(journal).build()
    let response = try await Self.get(session, path, Credential(username: "mufasa", password: "wrong"))
    #expect(response.response?.status == .unauthorized)
    #expect(journal.count == 2)
  }

  @Test func `apache accepts the second use of a nonce without a challenge`() async throws {
    let journal = ExchangeCount()
    let session = try Session.Builder().transport(.curl).timeouts(total: .seconds(30)).install(.authentication)
      .monitor(journal).build()
    for _ in 1...3 { #expect(try await Self.get(session, "/digest/hello").value == "Hello from apache\n") }
    #expect(journal.count == 4)
  }

  @Test func `apache's next nonce is used`() async throws {
    let session = try Self.session()
    var nonces: Set<String> = []
    for _ in 1...3 {
      let response = try await Self.get(session, "/next-nonce/hello")
      let sent = Sample.parameters(response.response?.headerFields[Self.seen])
      #expect(sent["nc"] == "00000001")
      nonces.insert(sent["nonce"] ?? "")
    }
    #expect(nonces.count == 3)
  }

  @Test func `apache reads a body that is sent again`() async throws {
    let session = try Self.session()
    let request = try OutgoingRequest(
      try #require(Peers.apache) + "/digest/hello", method: .post, body: .text(String(repeating: "x", count: 100_000)))
    let response = await session.request(request).authenticate(with: Self.credential).serializingString().response
    #expect(response.value == "Hello from apache\n")
  }

  @Test(arguments: ["auth/u/p/MD5", "auth/u/p/SHA-256", "auth-int/u/p/MD5", "auth-int/u/p/SHA-256"])
  func `httpbin lets the right password in`(path: String) async throws {
    let url = try #require(Peers.httpbin) + "/digest-auth/" + path
    let response = await (try Self.session()).request(url).authenticate(username: "u", password: "p")
      .serializingString().response
    #expect(response.response?.status == .ok, "\(response.value ?? "")")
  }

  /// The last element of httpbin's path is the number of times that a nonce may be used; httpbin keeps it in a cookie.
  @Test(arguments: [("1", 4, HTTPResponse.Status.ok), ("0", 6, .unauthorized)] as [(String, Int, HTTPResponse.Status)])
  func `httpbin marks a nonce as stale and gets another answer, up to a limit`(
    uses: String, exchanges: Int, status: HTTPResponse.Status
  ) async throws {
    let count = ExchangeCount()
    let session = try Session.Builder().transport(.curl).timeouts(total: .seconds(30)).install(.authentication)
      .install(.cookies).monitor(count).build()
    let url = try #require(Peers.httpbin) + "/digest-auth/auth/u/p/SHA-256/" + uses
    for _ in 1...2 {
      let response = await session.request(url).authenticate(username: "u", password: "p").serializingData().response
      #expect(response.response?.status == status)
    }
    #expect(count.count == exchanges)
  }

  @Test(arguments: ["/basic-auth/u/p", "/digest-auth/auth/u/p/SHA-256"])
  func `httpbin refuses a wrong password`(path: String) async throws {
    let url = try #require(Peers.httpbin) + path
    let response = await (try Self.session()).request(url).authenticate(username: "u", password: "wrong")
      .serializingString().response
    #expect(response.response?.status == .unauthorized)
  }
}
