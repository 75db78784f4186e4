import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

@Suite struct AuthenticateTests {
  private static func bench(_ challenge: String = "Basic realm=\"staff\"") -> TestBed {
    TestBed { mock in
      for method in [HTTPRequest.Method.get, .post] {
        mock.stub([method], "/{any...}", .challenge(challenge))
        mock.stub(
          [method], "/{any...}", where: [.field(.authorization, "Basic dTpw")], count: .optional, .text("welcome"))
      }
    }
  }

  @Test func `a challenge is answered with the credential`() async throws {
    let bench = Self.bench()
    let response = await (try bench.session()).request(TestBed.url).authenticate(username: "u", password: "p")
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(bench.mock.requests.map { $0.headers[.authorization] } == [nil, "Basic dTpw"])
  }

  @Test func `a wrong password is sent once, and the 401 is the response`() async throws {
    let bench = Self.bench()
    let response = await (try bench.session()).request(TestBed.url).authenticate(username: "u", password: "wrong")
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `without a credential the 401 is the response`() async throws {
    let bench = Self.bench()
    #expect(
      await (try bench.session()).request(TestBed.url).serializingData().response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a challenge that no scheme can answer leaves the 401`() async throws {
    let bench = Self.bench("Mystery realm=x")
    let response = await (try bench.session()).request(TestBed.url).authenticate(username: "u", password: "p")
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a replayable body is sent again with the answer`() async throws {
    let bench = Self.bench()
    let request = try OutgoingRequest(TestBed.url, method: .post, body: .text("content"))
    let response = await (try bench.session()).request(request).authenticate(username: "u", password: "p")
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(bench.mock.requests.map(\.text) == ["content", "content"])
  }

  @Test func `a body that can be sent only once leaves the 401`() async throws {
    let bench = Self.bench()
    let request = try OutgoingRequest(TestBed.url, method: .post, body: .oneShot(AsyncStream<[UInt8]> { $0.finish() }))
    let response = await (try bench.session()).request(request).authenticate(username: "u", password: "p")
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `the strongest scheme answers`() async throws {
    let bench = Self.bench("Basic realm=x, Strong realm=x")
    let session = try bench.session { $0.authenticationScheme(Strong()) }
    _ = await session.request(TestBed.url).authenticate(username: "u", password: "p").serializingData().response
    #expect(bench.mock.requests.last?.headers[.authorization] == "Strong answer")
  }

  @Test(arguments: [("a:b", "p"), ("a:\u{301}b", "p"), ("u", "p\n"), ("u\u{0}", "p")])
  func `a credential that Basic cannot carry is refused`(username: String, password: String) async throws {
    let bench = Self.bench()
    let response = await (try bench.session()).request(TestBed.url).authenticate(username: username, password: password)
      .serializingData().response
    #expect(response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.count == 1)
  }
}

private struct Strong: AuthenticationScheme {
  let name = "strong"

  func strength(of challenge: AuthenticationChallenge) -> Int { 5 }

  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    "Strong answer"
  }
}
