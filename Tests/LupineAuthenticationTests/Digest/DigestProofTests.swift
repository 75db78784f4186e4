import HTTPTypes
import LupineCookies
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

@testable import LupineAuthentication

/// The proof that a server has the password as well: `rspauth` in Authentication-Info (RFC 7616 section 3.5).
@Suite struct DigestProofTests {
  enum Proof: CaseIterable { case right, capital, wrong, wrongCount, missing, ofBody }

  private static func challenge(_ algorithm: String, _ nonce: String = "n1") -> String {
    "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=\(algorithm)"
  }

  /// The value of Authentication-Info in the server's response to the credentials `value`.
  private static func information(_ proof: Proof, _ value: String?, _ algorithm: String) throws -> String {
    let sent = Sample.parameters(value)
    let turn = DigestAnswer(
      challenge: try #require(DigestChallenge(try Sample.challenge(challenge(algorithm, sent["nonce"] ?? "")))),
      nonce: sent["nonce"] ?? "", clientNonce: sent["cnonce"] ?? "", count: UInt32(sent["nc"] ?? "", radix: 16) ?? 0)
    let right = try #require(turn.proof(Sample.mufasa, target: sent["uri"] ?? ""))
    let echo = "cnonce=\"\(sent["cnonce"] ?? "")\""
    return switch proof {
    case .right: "rspauth=\"\(right)\", \(echo), nc=\(sent["nc"] ?? ""), qop=auth"
    case .capital: "rspauth=\"\(right.uppercased())\""
    case .wrong: "rspauth=\"\(String(right.reversed()))\", qop=auth"
    case .wrongCount: "rspauth=\"\(right)\", \(echo), nc=00000099, qop=auth"
    case .missing: "nextnonce=\"n2\""
    case .ofBody: "rspauth=\"\(right)\", qop=auth-int"
    }
  }

  private static func exchange(_ proof: Proof, _ scheme: DigestScheme, _ algorithm: String = "SHA-256") async throws
    -> (warnings: [String], error: LupineError?)
  {
    let warnings = Mutex<[String]>([])
    let mock = MockTransport()
    mock.stub(.get, "/{any...}") { request in
      guard let value = request.headers[.authorization] else { return .challenge(challenge(algorithm)) }
      return .text("welcome").field(.authenticationInfo, try information(proof, value, algorithm))
    }
    let session = try Session.Builder().transport(mock).authenticationScheme(scheme)
      .monitor(
        Listener { event in
          if case .warning(let text) = event.kind { warnings.withLock { $0.append(text) } }
        }
      ).build()
    let response = await session.request(Sample.url).authenticate(with: Sample.mufasa).serializingString().response
    #expect(response.error != nil || response.value == "welcome")
    return (warnings.withLock { $0 }, response.error)
  }

  @Test func `the server's proof is computed by RFC 7616 from the target without the method`() throws {
    let challenge = try #require(DigestChallenge(try Sample.challenge(Self.challenge("MD5"))))
    let turn = DigestAnswer(challenge: challenge, nonce: "n1", clientNonce: "c", count: 1)
    func md5(_ text: String) -> String { HashFunction.md5.hexadecimal(text) ?? "" }
    let expected = md5("\(md5("Mufasa:r:Circle of Life")):n1:00000001:c:auth:\(md5(":/dir"))")
    #expect(turn.proof(Sample.mufasa, target: "/dir") == expected)
  }

  @Test(arguments: Proof.allCases, ["MD5", "SHA-256", "MD5-sess"])
  func `a wrong proof is warned of, and the response is used`(proof: Proof, algorithm: String) async throws {
    let (warnings, error) = try await Self.exchange(proof, DigestScheme(), algorithm)
    #expect(error == nil)
    let isWrong = proof == .wrong || proof == .wrongCount
    #expect(warnings.count == (isWrong ? 1 : 0))
    #expect(warnings.allSatisfy { $0.contains("rspauth") })
  }

  @Test(arguments: Proof.allCases)
  func `if a proof is required, a missing or wrong one is an error`(proof: Proof) async throws {
    let (_, error) = try await Self.exchange(proof, DigestScheme(requiresMutualAuthentication: true))
    #expect(error?.kind == (proof == .right || proof == .capital ? nil : .serverNotAuthenticated))
  }

  @Test(
    arguments: [
      ("204", "n1", true), ("204", "n2", false), ("0", "n1", true), ("0", "n2", false), ("5", "n1", nil),
      ("none", "n1", nil),
    ] as [(String, String, Bool?)])
  func `a proof of auth-int counts only for a response without a body`(
    answer: String, provenNonce: String, isGood: Bool?
  ) throws {
    let challenge = try #require(DigestChallenge(try Sample.challenge("Digest realm=r, nonce=n1, qop=auth-int")))
    func md5(_ text: String) -> String { HashFunction.md5.hexadecimal(text) ?? "" }
    let proof = md5(
      "\(md5("Mufasa:r:Circle of Life")):\(provenNonce):00000001:c:auth-int:\(md5(":/dir:\(md5(""))"))")
    var head = HTTPResponse(status: answer == "204" ? .noContent : .ok)
    if answer == "0" || answer == "5" { head.headerFields[.contentLength] = answer }
    head.headerFields[.authenticationInfo] = "rspauth=\"\(proof)\", qop=auth-int, nc=00000001, cnonce=\"c\""
    let turn = DigestAnswer(challenge: challenge, nonce: "n1", clientNonce: "c", count: 1)
    var request = try OutgoingRequest(Sample.url)
    request.headers[.authorization] = turn.value(
      Sample.mufasa, method: "GET", target: "/dir", bodyHash: md5(""))
    let warnings = Mutex<Int>(0)
    let context = AuthenticationContext(request: request, warn: { _ in warnings.withLock { $0 += 1 } })
    try DigestScheme().receive(head, with: Sample.mufasa, in: context)
    #expect(warnings.withLock { $0 } == (isGood == false ? 1 : 0))
    let strict = Result {
      try DigestScheme(requiresMutualAuthentication: true).receive(head, with: Sample.mufasa, in: context)
    }
    #expect(((try? strict.get()) != nil) == (isGood == true))
  }

  @Test(arguments: [false, true])
  func `a proof is judged by its own request's answer, whatever the others learn meanwhile`(
    isForgotten: Bool
  ) async throws {
    let scheme = DigestScheme(requiresMutualAuthentication: true)
    let first = try await Self.answered("n1", scheme, random: 1)
    let second = try await Self.answered("n2", scheme, random: 2)
    if isForgotten { try scheme.receive(HTTPResponse(status: .unauthorized), with: Sample.mufasa, in: second) }
    for context in isForgotten ? [first] : [first, second] {
      let value = context.request.headers[.authorization]
      for (proof, isGood) in [(Proof.right, true), (.wrong, false)] {
        let head = HTTPResponse(
          status: .ok, headerFields: [.authenticationInfo: try Self.information(proof, value, "MD5-sess")])
        let result = Result { try scheme.receive(head, with: Sample.mufasa, in: context) }
        #expect(((try? result.get()) != nil) == isGood)
      }
    }
  }

  /// The context of a request whose Authorization field answers a challenge with this nonce.
  private static func answered(
    _ nonce: String, _ scheme: DigestScheme, random: UInt64
  ) async throws -> AuthenticationContext {
    var request = try OutgoingRequest(Sample.url)
    let context = AuthenticationContext(request: request, recipient: .origin, random: { random })
    let challenge = try Sample.challenge(challenge("MD5-sess", nonce))
    request.headers[.authorization] = try await scheme.answer(challenge, with: Sample.mufasa, in: context)
    return AuthenticationContext(request: request, recipient: .origin, random: { random })
  }

  @Test func `a server that does not prove itself sets no cookie`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}") { request in
      request.headers[.authorization] == nil
        ? .challenge(Self.challenge("SHA-256")) : .text("evil").field(.setCookie, "a=b")
    }
    let session = try Session.Builder().transport(mock).install(.cookies)
      .authenticationScheme(DigestScheme(requiresMutualAuthentication: true)).build()
    let response = await session.request(Sample.url).authenticate(with: Sample.mufasa).serializingData().response
    #expect(response.error?.kind == .serverNotAuthenticated)
    #expect(session.cookieJar?.cookies.isEmpty == true)
  }
}

private struct Listener: EventMonitor {
  let hear: @Sendable (SessionEvent) -> Void

  init(_ hear: @escaping @Sendable (SessionEvent) -> Void) { self.hear = hear }

  func receive(_ event: SessionEvent) { hear(event) }
}
