import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

/// The credentials that answer a server's challenge, and the number of answers.
@Suite struct ChallengeTests {
  private static let right = Credential(username: "u", password: "p")
  private static let wrong = Credential(username: "u", password: "wrong")

  private static func bench() -> TestBed {
    TestBed { mock in
      mock.stub(.get, "/{any...}", .challenge("Basic realm=\"staff\""))
      mock.stub(.get, "/{any...}", where: [.field(.authorization, "Basic dTpw")], count: .optional, .text("welcome"))
    }
  }

  @Test func `a closure is asked for the credential`() async throws {
    let bench = Self.bench()
    let asked = Notes<CredentialRequest>()
    let response = await (try bench.session()).request(TestBed.url)
      .onChallenge { request in
        asked.add(request)
        return Self.right
      }
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(asked.all.map(\.realm) == ["staff"])
    #expect(asked.all.first?.url.string == TestBed.url)
    #expect(asked.all.first?.previousFailureCount == 0)
  }

  @Test func `a session's closure is called if the request has none`() async throws {
    let bench = Self.bench()
    let session = try bench.session { $0.onChallenge { _ in Self.right } }
    #expect(await session.request(TestBed.url).serializingString().response.value == "welcome")
    let refused = await session.request(TestBed.url).onChallenge { _ in nil }.serializingString().response
    #expect(refused.response?.status == .unauthorized)
  }

  @Test func `the closure is asked after the request's own credential was refused`() async throws {
    let bench = Self.bench()
    let failures = Notes<Int>()
    let response = await (try bench.session()).request(TestBed.url).authenticate(with: Self.wrong)
      .onChallenge { request in
        failures.add(request.previousFailureCount)
        return Self.right
      }
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(failures.all == [1])
  }

  @Test func `a closure that repeats itself ends with the 401`() async throws {
    let bench = Self.bench()
    let response = await (try bench.session()).request(TestBed.url).onChallenge { _ in Self.wrong }
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 2)
  }

  @Test func `a closure that always returns a credential is called five times`() async throws {
    let bench = Self.bench()
    let response = await (try bench.session()).request(TestBed.url)
      .onChallenge { Credential(username: "u", password: "try \($0.previousFailureCount)") }
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 6)
  }

  @Test func `the error of the closure is the error of the request`() async throws {
    struct Refusal: Error {}
    let bench = Self.bench()
    let response = await (try bench.session()).request(TestBed.url).onChallenge { _ in throw Refusal() }
      .serializingData().response
    #expect(response.error?.kind == .other)
    #expect(response.error?.underlying is Refusal)
  }

  @Test func `a challenge in an unknown scheme is not put to the closure`() async throws {
    let bench = TestBed(.challenge("Mystery realm=x"))
    let asked = Notes<CredentialRequest>()
    _ = await (try bench.session()).request(TestBed.url)
      .onChallenge { request in
        asked.add(request)
        return Self.right
      }
      .serializingData().response
    #expect(asked.all.isEmpty)
  }

  @Test func `a redirect within the origin carries the answer along`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "https://api.example.com/{any...}", .challenge("Basic realm=\"staff\""))
      mock.stub(
        .get, "https://api.example.com/v1/users", where: [.field(.authorization, "Basic dTpw")], .redirect(to: "/end"))
      mock.stub(
        .get, "https://api.example.com/end", where: [.field(.authorization, "Basic dTpw")], .text("welcome"))
    }
    let response = await (try bench.session()).request(TestBed.url).authenticate(with: Self.right)
      .serializingString().response
    #expect(response.value == "welcome")
    #expect(bench.mock.requests.count == 3)
  }

  @Test(arguments: [false, true])
  func `an interceptor that sends again after a redirect elsewhere has the credential again`(
    isRenewed: Bool
  ) async throws {
    let challenge = MockReply.challenge("Basic realm=\"staff\"")
    let away = MockReply.redirect(to: "https://elsewhere.example.com/")
    let bench = TestBed { mock in
      mock.stub(.get, TestBed.url, challenge)
      mock.stub(.get, TestBed.url, where: [.field(.authorization, "Basic dTpw")], .sequence([away, .text("welcome")]))
      mock.stub(.get, "https://elsewhere.example.com/", .status(.accepted))
    }
    let request = (try bench.session()).request(TestBed.url).interceptor(Polling())
    let armed = isRenewed ? request.onChallenge { _ in Self.right } : request.authenticate(with: Self.right)
    #expect(await armed.serializingString().response.value == "welcome")
    let elsewhere = bench.mock.requests.filter { $0.url.host == "elsewhere.example.com" }
    #expect(elsewhere.map { $0.headers[.authorization] } == [nil])
  }

  @Test func `behind a redirect another realm is answered, the same one not again`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "/{any...}", .challenge("Basic realm=\"one\""))
      mock.stub(.get, "/v1/users", where: [.field(.authorization)], .redirect(to: "/end"))
      mock.stub(.get, "/end", .challenge("Basic realm=\"two\""))
    }
    let response = await (try bench.session()).request(TestBed.url).authenticate(with: Self.wrong)
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count == 4)
  }

  @Test func `a server whose realm is another one each time gets one answer`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "/{any...}", .sequence((1...9).map { .challenge("Basic realm=\"\($0)\"") }))
    }
    _ = await (try bench.session()).request(TestBed.url).authenticate(with: Self.wrong).serializingData().response
    #expect(bench.mock.requests.count == 2)
  }

  @Test(arguments: [
    ("Basic", "Basic dTpw"), ("basic realm=\"\"", "Basic dTpw"), ("Basic realm=x, charset=\"UTF-8\"", "Basic dTpw"),
    ("Mystery a=b, Basic realm=x", "Basic dTpw"), ("Basic realm=a, Basic realm=b", "Basic dTpw"),
  ])
  func `Basic answers with a realm, without one, among others and twice`(challenge: String, value: String) async throws
  {
    let bench = TestBed(.challenge(challenge))
    _ = await (try bench.session()).request(TestBed.url).authenticate(with: Self.right).serializingData().response
    #expect(bench.mock.requests.map { $0.headers[.authorization] } == [nil, value])
  }

  @Test func `Basic is in UTF-8, as RFC 7617 section 2.1 shows it`() async throws {
    let bench = TestBed(.challenge("Basic realm=\"foo\", charset=\"UTF-8\""))
    _ = await (try bench.session()).request(TestBed.url).authenticate(username: "test", password: "123\u{A3}")
      .serializingData().response
    #expect(bench.mock.requests.last?.headers[.authorization] == "Basic dGVzdDoxMjPCow==")
  }

  @Test(arguments: ["Basic realm=\"open", "=", ",,,", "Basic realm", "\"\"", "Basic realm=\"x\" Basic"])
  func `a malformed challenge ends with the 401 at once or after one answer`(challenge: String) async throws {
    let bench = TestBed(.challenge(challenge))
    let response = await (try bench.session()).request(TestBed.url).authenticate(with: Self.wrong)
      .serializingData().response
    #expect(response.response?.status == .unauthorized)
    #expect(bench.mock.requests.count <= 2)
  }

  @Test(arguments: ["Digest realm=x", "NTLM", "Negotiate", "Mystery, Negotiate"])
  func `a challenge that a module could answer names it`(challenge: String) async throws {
    let bench = TestBed(.challenge(challenge))
    let response = await (try bench.session()).request(TestBed.url).authenticate(with: Self.right).validate()
      .serializingData().response
    #expect(response.error?.message.contains("LupineAuthentication") == true)
    let reason = bench.log.all.compactMap { event in
      if case .challenged(false, let reason) = event.kind { reason } else { nil }
    }
    #expect(reason == ["no scheme fits the challenge; LupineAuthentication has one"])
  }

  @Test func `without a challenge no credential is sent`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.onChallenge { _ in Self.right } }
    _ = await session.request(TestBed.url).authenticate(with: Self.right).serializingData().response
    #expect(bench.mock.requests.map { $0.headers[.authorization] } == [nil])
  }
}

/// Sends a request a second time if the response is 202 Accepted.
private struct Polling: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let response = try await next(request)
    return response.statusCode == 202 ? try await next(request) : response
  }
}
