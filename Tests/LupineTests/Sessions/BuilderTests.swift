import Lupine
import LupineMock
import Testing

@Suite struct BuilderTests {
  @Test func `one error has all unsuitable parts`() throws {
    let error = #expect(throws: LupineError.self) {
      try Session.Builder().baseURL("no URL").timeouts(idle: .zero).build()
    }
    guard case .configuration(let issues)? = error?.kind else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(issues.map(\.part).sorted() == ["baseURL", "timeouts", "transport"])
  }

  @Test func `a builder is a value`() throws {
    let base = Session.Builder().transport(MockTransport()).baseURL("https://example.com/v1")
    let other = base.baseURL("https://example.com/v2")
    #expect(try base.build().baseURL?.string == "https://example.com/v1")
    #expect(try other.build().baseURL?.string == "https://example.com/v2")
  }

  @Test(arguments: [true, false])
  func `the umbrella's defaults keep a mock`(isLast: Bool) async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/", .text("from the mock"))
    let session =
      try isLast
      ? Session.Builder().transport(mock).standardDefaults().build()
      : Session.Builder().standardDefaults().transport(mock).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "from the mock")
  }

  @Test(arguments: [true, false])
  func `the umbrella's defaults leave a scheme and a coding in their places`(isLast: Bool) async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/", .challenge("Digest realm=\"x\", nonce=\"y\""))
    mock.stub(
      .get, "https://example.com/", where: [.field(.authorization, "Digest of its own")],
      .text("coded").field(.contentEncoding, "gzip"))
    func add(to builder: Session.Builder) -> Session.Builder {
      builder.authenticationScheme(OwnDigest()).contentCoding(OwnGzip())
    }
    let builder = Session.Builder().transport(mock)
    let session = try (isLast ? add(to: builder).standardDefaults() : add(to: builder.standardDefaults())).build()
    let request = session.request("https://example.com/").authenticate(username: "u", password: "p")
    #expect(try await request.serializingString().value == "decoded")
    let codings = mock.requests.last?.headers[.acceptEncoding]?.split(separator: ",") ?? []
    #expect(codings.count { $0.contains("gzip") } == 1)
    #expect(codings.count > 1)
  }
}

/// Replaces LupineAuthentication's scheme of the same name.
private struct OwnDigest: AuthenticationScheme {
  let name = "Digest"

  func strength(of challenge: AuthenticationChallenge) -> Int { 5 }

  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    "Digest of its own"
  }
}

/// Replaces LupineCompression's coding of the same name, and decodes every body to "decoded".
private struct OwnGzip: ContentCoding {
  let name = "gzip"
  let aliases: [String] = []

  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer { Decoding() }
  func makeEncoder() throws(LupineError) -> any BodyTransformer { Decoding() }

  private final class Decoding: BodyTransformer {
    func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {}

    func finish(into output: Output) throws(LupineError) {
      let bytes = Array("decoded".utf8)
      let result = bytes.withUnsafeBytes { bytes in Result { () throws(LupineError) in try output(bytes) } }
      try result.get()
    }
  }
}
