import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineTransfers
import LupineSession
import LupineMock
import Testing

@testable import LupineAuthentication

/// The published examples of Signature Version 4: Amazon's test suite (such as `get-vanilla`) and its documentation.
@Suite struct AmazonSignatureTests {
  private static let keys = AmazonCredential(
    accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

  private static func session(_ mock: MockTransport = MockTransport(), at seconds: Double = 1_440_938_160) throws
    -> Session
  {
    try Session.Builder().transport(mock).clock(ImmediateClock()).now { Date(timeIntervalSince1970: seconds) }.build()
  }

  private static func signed(_ request: OutgoingRequest, service: String = "service") async throws -> OutgoingRequest {
    let signature = AmazonSignature(service: service, region: "us-east-1", to: .anyOrigin, credential: keys)
    return try await signature.adapt(request, for: session())
  }

  private static func request(
    _ target: String = "/", method: HTTPRequest.Method = .get, fields: [(String, String)] = [],
    body: RequestBody = .none
  ) throws -> OutgoingRequest {
    var headers = HTTPFields()
    for (name, value) in fields { headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    return try OutgoingRequest("https://example.amazonaws.com" + target, method: method, headers: headers, body: body)
  }

  @Test(
    arguments: [
      ("/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
      ("/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
      ("/?Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
      ("/?%E1%88%B4=bar", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
      (
        "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz="
          + "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
      ),
      // Paths are encoded twice, as every service except S3 expects.
      ("/%E1%88%B4", "697b34846207a3f72246f99d74ae1ee4fe54f44bb06730c58a0d339eb079596d"),
    ] as [(String, String)])
  func `a target is signed as published`(target: String, signature: String) async throws {
    let request = try await Self.signed(Self.request(target))
    #expect(request.headers[.amazonDate] == "20150830T123600Z")
    #expect(
      request.headers[.authorization]
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        + "SignedHeaders=host;x-amz-date, Signature=\(signature)")
  }

  @Test(
    arguments: [
      (
        [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
      ),
      (
        [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
        "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
      ),
    ] as [([(String, String)], String)])
  func `fields are signed as published`(fields: [(String, String)], signature: String) async throws {
    let request = try await Self.signed(Self.request(fields: fields))
    #expect(request.headers[.authorization]?.hasSuffix("Signature=\(signature)") == true)
  }

  @Test func `a request is signed for the host that its own field names`() async throws {
    let url = "https://127.0.0.1:8443/"
    let request = try OutgoingRequest(url, headers: [#require(HTTPField.Name("Host")): "example.amazonaws.com"])
    let named = try await Self.signed(request)
    let plain = try await Self.signed(Self.request())
    #expect(named.headers[.authorization] == plain.headers[.authorization])
    let other = try await Self.signed(OutgoingRequest(url))
    #expect(other.headers[.authorization] != plain.headers[.authorization])
  }

  @Test func `a body and its type are signed as published`() async throws {
    let plain = try await Self.signed(Self.request(method: .post))
    #expect(
      plain.headers[.authorization]?.hasSuffix("5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b")
        == true)
    let form = try await Self.signed(
      Self.request(
        method: .post, fields: [("Content-Type", "application/x-www-form-urlencoded")], body: .text("Param1=value1")))
    #expect(
      form.headers[.authorization]?.hasSuffix("ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a")
        == true)
  }

  @Test func `the documentation's request for users is signed as published`() async throws {
    let request = try OutgoingRequest(
      "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
      headers: [.contentType: "application/x-www-form-urlencoded; charset=utf-8"])
    let signed = try await Self.signed(request, service: "iam")
    #expect(
      signed.headers[.authorization]?.hasSuffix("5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
        == true)
  }

  @Test func `the documentation's request for a part of an object is signed as published`() async throws {
    let keys = AmazonCredential(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let signature = AmazonSignature(service: "s3", region: "us-east-1", to: .anyOrigin, credential: keys)
    let request = try OutgoingRequest(
      "https://examplebucket.s3.amazonaws.com/test.txt", headers: [.range: "bytes=0-9"])
    let signed = try await signature.adapt(request, for: Self.session(at: 1_369_353_600))
    #expect(
      signed.headers[.authorization]
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func `temporary keys send their token, which is signed`() async throws {
    let keys = AmazonCredential(accessKeyID: "A", secretAccessKey: "s", sessionToken: "token")
    let signature = AmazonSignature(service: "x", region: "y", to: .anyOrigin, credential: keys)
    let signed = try await signature.adapt(Self.request(), for: Self.session())
    #expect(signed.headers[.amazonSecurityToken] == "token")
    #expect(signed.headers[.authorization]?.contains("SignedHeaders=host;x-amz-date;x-amz-security-token,") == true)
  }

  @Test func `every attempt gets a new signature, with its own keys`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .sequence([.status(.serviceUnavailable), .text("ok")]))
    let count = ExchangeCount()
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).monitor(count)
      .install(
        AmazonSignature(service: "x", region: "y", to: .anyOrigin) {
          AmazonCredential(accessKeyID: "KEY\(count.count)", secretAccessKey: "s")
        }
      )
      .retrier(.backoff(limit: 1)).build()
    _ = await session.request("https://example.amazonaws.com/").serializingData().response
    let keys = mock.requests.map { $0.headers[.authorization]?.split(separator: "=").dropFirst().first?.prefix(4) }
    #expect(keys == ["KEY0", "KEY1"])
  }

  @Test func `neither the signature nor the token goes to another origin`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://a.example.com/", .redirect(to: "https://b.example.com/"))
    mock.stub(.get, "https://b.example.com/", .text("ok"))
    let keys = AmazonCredential(accessKeyID: "A", secretAccessKey: "s", sessionToken: "token")
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://a.example.com")
      .install(AmazonSignature(service: "x", region: "y", credential: keys)).build()
    _ = await session.request("https://a.example.com/").serializingData().response
    #expect(mock.requests.map { $0.headers[.authorization] != nil } == [true, false])
    #expect(mock.requests.map { $0.headers[.amazonSecurityToken] != nil } == [true, false])
    _ = await session.request("https://b.example.com/").serializingData().response
    #expect(mock.requests.last?.headers[.authorization] == nil)
  }

  @Test(arguments: ["", "a b", "a\r\nX: y", "\u{0}", "\u{E4}"])
  func `a key that no field can contain is refused`(key: String) async throws {
    for keys in [
      AmazonCredential(accessKeyID: key, secretAccessKey: "s"),
      AmazonCredential(accessKeyID: "A", secretAccessKey: "s", sessionToken: key),
    ] {
      let signature = AmazonSignature(service: "x", region: "y", to: .anyOrigin, credential: keys)
      await #expect(throws: LupineError.self) { _ = try await signature.adapt(Self.request(), for: Self.session()) }
    }
  }

  @Test func `a body that can be read only once is refused, unless S3 takes it unsigned`() async throws {
    let request = try Self.request(method: .put, body: .oneShot(AsyncStream<[UInt8]> { $0.finish() }))
    await #expect(throws: LupineError.self) { _ = try await Self.signed(request) }
    let storage = AmazonSignature(
      service: "s3", region: "y", payload: .unsigned, to: .anyOrigin, credential: Self.keys)
    let signed = try await storage.adapt(request, for: Self.session())
    #expect(signed.headers[.amazonContentHash] == "UNSIGNED-PAYLOAD")
  }

  @Test func `a session without the base URL that a signer, or a token, is for is refused`() throws {
    let signature = AmazonSignature(service: "x", region: "y", credential: Self.keys)
    let client = try OAuthClient(tokenURL: "https://a.example.com/", identifier: "c")
    for plugin: any Plugin in [signature, AuthenticationInterceptor<OAuthAuthenticator>.oauth(client)] {
      let builder = Session.Builder().transport(MockTransport()).install(plugin)
      #expect(throws: LupineError.self) { try builder.build() }
      _ = try builder.baseURL("https://api.example.com").build()
    }
  }

  @Test func `neither keys nor a signer shows a secret`() {
    #expect(!"\(Self.keys)".contains("EXAMPLEKEY"))
    let signature = AmazonSignature(service: "x", region: "y", credential: Self.keys)
    #expect("\(signature)" == "AmazonSignature(x, y)")
  }
}
