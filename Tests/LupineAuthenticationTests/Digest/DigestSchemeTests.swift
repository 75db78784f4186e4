import HTTPTypes
import LupineCore
import Testing

@testable import LupineAuthentication

@Suite struct DigestSchemeTests {
  private static let challenge = "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

  /// Answers a challenge, passes a response with these fields to the scheme, and returns the parameters of the answer.
  private static func exchange(
    _ scheme: DigestScheme, _ text: String = challenge, status: Int = 200, fields: HTTPFields = [:],
    in context: AuthenticationContext
  ) async throws -> [String: String] {
    let value = try await scheme.answer(try Sample.challenge(text), with: Sample.mufasa, in: context)
    try receive(scheme, value, status, fields, context)
    return Sample.parameters(value)
  }

  private static func receive(
    _ scheme: DigestScheme, _ value: String?, _ status: Int, _ fields: HTTPFields, _ context: AuthenticationContext
  ) throws {
    var request = context.request
    request.headers[context.recipient == .origin ? .authorization : .proxyAuthorization] = value
    try scheme.receive(
      HTTPResponse(status: .init(code: status), headerFields: fields), with: Sample.mufasa,
      in: AuthenticationContext(request: request, recipient: context.recipient))
  }

  private static func preemptive(
    _ scheme: DigestScheme, _ context: AuthenticationContext, _ credential: Credential = Sample.mufasa
  ) async throws -> [String: String]? {
    try await scheme.authorizePreemptively(with: credential, in: context).map(Sample.parameters)
  }

  @Test func `our nonce has 128 bits of the session's randomness`() async throws {
    let parameters = try await Self.exchange(DigestScheme(), in: Sample.context())
    #expect(parameters["cnonce"] == "0123456789abcdef0123456789abcdef")
  }

  @Test func `an accepted credential is sent preemptively, and the uses of a nonce are counted`() async throws {
    let scheme = DigestScheme()
    let context = try Sample.context()
    #expect(try await Self.preemptive(scheme, context) == nil)
    #expect(try await Self.exchange(scheme, in: context)["nc"] == "00000001")
    #expect(try await Self.preemptive(scheme, context)?["nc"] == "00000002")
    #expect(try await Self.preemptive(scheme, context)?["nc"] == "00000003")
  }

  @Test func `the next nonce is taken, and counted from one`() async throws {
    let scheme = DigestScheme()
    let context = try Sample.context()
    _ = try await Self.exchange(scheme, fields: [.authenticationInfo: "nextnonce=\"n2\", qop=auth"], in: context)
    let next = try await Self.preemptive(scheme, context)
    #expect(next?["nonce"] == "n2")
    #expect(next?["nc"] == "00000001")
  }

  @Test func `a session's secret keeps the challenge's nonce when the next one comes`() async throws {
    let scheme = DigestScheme()
    let context = try Sample.context()
    let text = "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=MD5-sess"
    _ = try await Self.exchange(scheme, text, fields: [.authenticationInfo: "nextnonce=\"n2\""], in: context)
    let next = try #require(try await Self.preemptive(scheme, context))
    let turn = DigestAnswer(
      challenge: try #require(DigestChallenge(try Sample.challenge(text))), nonce: "n2",
      clientNonce: "0123456789abcdef0123456789abcdef", count: 1)
    let expected = turn.value(Sample.mufasa, method: "GET", target: "/dir/index.html", bodyHash: nil)
    #expect(next["response"] == Sample.parameters(expected)["response"])
  }

  @Test func `a refused credential is not sent preemptively`() async throws {
    let scheme = DigestScheme()
    let context = try Sample.context()
    _ = try await Self.exchange(scheme, in: context)
    _ = try await Self.exchange(scheme, status: 401, in: context)
    #expect(try await Self.preemptive(scheme, context) == nil)
  }

  @Test(arguments: [
    "http://api.example.com/dir/", "https://api.example.com:8443/dir/", "https://api.example.com./dir/",
    "https://www.example.com/dir/",
  ])
  func `another origin receives no preemptive credential`(url: String) async throws {
    let scheme = DigestScheme()
    _ = try await Self.exchange(scheme, in: Sample.context())
    #expect(try await Self.preemptive(scheme, Sample.context(url)) == nil)
  }

  @Test func `another credential and a proxy are not answered preemptively`() async throws {
    let scheme = DigestScheme()
    let context = try Sample.context()
    _ = try await Self.exchange(scheme, in: context)
    let other = Credential(username: "Mufasa", password: "other")
    #expect(try await Self.preemptive(scheme, context, other) == nil)
    let proxy = try Sample.context(recipient: .proxy(context.origin))
    #expect(try await Self.preemptive(scheme, proxy) == nil)
  }

  @Test(arguments: [
    ("/dir/", true), ("/", true), ("/other/", false), ("https://www.example.com/dir/", false),
    ("/other https://api.example.com/dir", true),
  ])
  func `the parameter domain names where the credential is sent preemptively`(domain: String, isSent: Bool) async throws
  {
    let scheme = DigestScheme()
    let text = Self.challenge + ", domain=\"\(domain)\""
    _ = try await Self.exchange(scheme, text, in: Sample.context())
    #expect((try await Self.preemptive(scheme, Sample.context()) != nil) == isSent)
  }

  @Test(
    arguments: [
      (HTTPRequest.Method.get, "http://origin.example/a?b=c", "http://origin.example/a?b=c"),
      (.connect, "https://origin.example/", "origin.example:443"),
      (.connect, "https://[::1]:8443/", "[::1]:8443"),
    ] as [(HTTPRequest.Method, String, String)])
  func `a proxy's challenge is answered for the target it sees`(
    method: HTTPRequest.Method, url: String, target: String
  ) async throws {
    let proxy = try HTTPURL("http://proxy.example:3128").origin
    let context = try Sample.context(url, method: method, recipient: .proxy(proxy))
    let scheme = DigestScheme()
    let information: HTTPFields = [.proxyAuthenticationInfo: "nextnonce=\"n2\""]
    #expect(try await Self.exchange(scheme, fields: information, in: context)["uri"] == target)
    let elsewhere = try Sample.context("http://another.example/", recipient: .proxy(proxy))
    #expect(try await Self.preemptive(scheme, elsewhere)?["nonce"] == "n2")
    _ = try await Self.exchange(scheme, status: 407, in: context)
    #expect(try await Self.preemptive(scheme, elsewhere) == nil)
  }

  @Test func `the places that are remembered are bounded`() async throws {
    let scheme = DigestScheme()
    for number in 0...DigestNonceStore.capacity {
      _ = try await Self.exchange(scheme, in: Sample.context("https://h\(number).example/"))
    }
    #expect(try await Self.preemptive(scheme, Sample.context("https://h0.example/")) == nil)
    #expect(try await Self.preemptive(scheme, Sample.context("https://h1.example/")) != nil)
  }

  @Test func `a streamed body is hashed as it is sent`() async throws {
    let body = RequestBody.stream {
      AsyncStream<[UInt8]> { pieces in
        pieces.yield(Array("hel".utf8))
        pieces.yield(Array("lo".utf8))
        pieces.finish()
      }
    }
    let hash = try await BodyHash.hexadecimal(body, .md5)
    #expect(hash == "5d41402abc4b2a76b9719d911017c592")
  }

  @Test func `a body that can be sent only once cannot be protected`() async throws {
    let challenge = try Sample.challenge("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"")
    let body = RequestBody.oneShot(AsyncStream<[UInt8]> { $0.finish() })
    let context = try Sample.context(method: .post, body: body)
    #expect(try await DigestScheme().answer(challenge, with: Sample.mufasa, in: context) == nil)
  }
}
