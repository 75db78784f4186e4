import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

@testable import LupineAuthentication

/// Responses with the signature of RFC 9421 section 2.4, changed in one place.
@Suite struct ResponseSignatureTests {
  private static let content = #"{"busy": true, "message": "Your call is very important to us"}"#
  private static let created = 1_618_884_479.0
  private static let vector = SignatureVector.all.first { $0.section == "2.4" }

  private struct Answer: Sendable {
    var status = 503
    var content = ResponseSignatureTests.content
    var digest = SignatureVector.refusalDigest
    var input = "reqres=" + (ResponseSignatureTests.vector?.input ?? "")
    var signature = "reqres=:" + (ResponseSignatureTests.vector?.signature ?? "") + ":"
  }

  private static func error(
    _ answer: Answer = Answer(), at time: Double = created + 10, key: String = "test-key-ecc-p256",
    path: String = "/foo?param=Value&Pet=dog", covering covered: [SignatureComponent] = [.status, "content-digest"],
    label: String? = nil
  ) async throws -> LupineError? {
    let mock = MockTransport()
    mock.stub(
      .post, "/foo",
      .text(answer.content, contentType: "application/json", status: HTTPResponse.Status(code: answer.status))
        .field("Content-Digest", answer.digest).field("Signature-Input", answer.input)
        .field("Signature", answer.signature))
    let plugin = ResponseSignature(covering: covered, label: label) { id, url in
      id == key && url.host == "example.com" ? try? SampleKeys.key(key, isPublic: true) : nil
    }
    let session = try Session.Builder().transport(mock).now { Date(timeIntervalSince1970: time) }.install(plugin)
      .build()
    let response = await session.upload(
      SignatureVector.body, to: "https://example.com\(path)",
      headers: [.contentType("application/json"), RequestHeader(name: "Content-Digest", value: SignatureVector.digest)]
    ).serializingString().response
    return response.error
  }

  @Test func `a response with the signature of the RFC is accepted`() async throws {
    #expect(try await Self.error() == nil)
    #expect(
      try await Self.error(
        covering: [.status, .method.ofRequest, .path.ofRequest, .authority.ofRequest], label: "reqres") == nil)
  }

  @Test func `another status, digest, path or signature is refused`() async throws {
    var answers: [Answer] = []
    answers.append(Answer(status: 200))
    answers.append(Answer(digest: SignatureVector.responseDigest))
    answers.append(Answer(signature: "reqres=:AAAA:"))
    for answer in answers { #expect(try await Self.error(answer)?.kind == .serverNotAuthenticated) }
  }

  @Test func `other content than that of the signed digest is refused`() async throws {
    #expect(try await Self.error(Answer(content: Self.content + " "))?.kind == .digestMismatch)
  }

  @Test(arguments: [
    "", "reqres", "reqres=", "reqres=()", "reqres=(", "reqres=(\"@status\"", "reqres=(@status);created=1618884479",
    "reqres=(\"@status\"\"a\")", "reqres=(\"@status\");created=\"1\"", "reqres=(\"@status\");created=1;created=1",
    "reqres=(\"@status\" \"content-digest\");created=1618884479;keyid=\"test-key-ecc-p256\"",
    "reqres=(\"@status\" \"content-digest\";bs);created=1618884479", "a=1, reqres=()", "reqres=(),reqres=()",
    "reqres=(),",
    "reqres=(\"@status\" \"content-digest\");created=1618884479;keyid=\"\\x\"", "reqres=(\"\u{FC}\")",
    "other=(\"@status\" \"content-digest\");created=1618884479;keyid=\"test-key-ecc-p256\"",
  ])
  func `another or a malformed input is refused`(_ input: String) async throws {
    #expect(try await Self.error(Answer(input: input))?.kind == .serverNotAuthenticated)
  }

  @Test func `a signature that is too old, from the future or of another key is refused`() async throws {
    for time in [Self.created - 61, Self.created + 301] {
      #expect(try await Self.error(at: time)?.kind == .serverNotAuthenticated)
    }
    #expect(try await Self.error(at: Self.created - 60) == nil)
    #expect(try await Self.error(at: Self.created + 300) == nil)
    #expect(try await Self.error(key: "test-key-ed25519")?.kind == .serverNotAuthenticated)
  }

  @Test func `a component that the signature does not cover, or another label, is refused`() async throws {
    #expect(try await Self.error(covering: ["date"])?.message.contains("\"date\"") == true)
    #expect(try await Self.error(label: "sig1")?.kind == .serverNotAuthenticated)
  }

  @Test func `an expired signature, and one with another algorithm or a bad parameter, is refused`() async throws {
    let key = try SampleKeys.key("test-key-ed25519")
    for (end, kind) in [
      ("", nil), (";expires=1618884485", .serverNotAuthenticated), (";alg=\"ed25519\"", nil),
      (";alg=\"hmac-sha256\"", .serverNotAuthenticated), (";a;since=@1618884479", nil), (";title=%\"f%c3%bc\"", nil),
      (";a=+5", .serverNotAuthenticated), (";a=1;a=1", .serverNotAuthenticated), (";a=", .serverNotAuthenticated),
    ] as [(String, LupineError.Kind?)] {
      let input = "(\"@status\" \"content-digest\");created=1618884479;keyid=\"test-key-ed25519\"\(end)"
      let base =
        "\"@status\": 503\n\"content-digest\": \(SignatureVector.refusalDigest)\n\"@signature-params\": \(input)"
      let signature = Data(try key.signature(of: Array(base.utf8))).base64EncodedString()
      let answer = Answer(input: "sig1=\(input)", signature: "sig1=:\(signature):")
      #expect(try await Self.error(answer, key: "test-key-ed25519")?.kind == kind)
    }
  }

  @Test func `build reports a signature that proves nothing, and a part that no response has`() throws {
    for (plugin, part) in [
      (ResponseSignature(covering: []) { _, _ in nil }, "at least one component"),
      (ResponseSignature(label: "Sig1") { _, _ in nil }, "Sig1"),
      (ResponseSignature(maximumAge: .milliseconds(999)) { _, _ in nil }, "maximum age"),
      (ResponseSignature(covering: [.status, .path]) { _, _ in nil }, "@path"),
      (ResponseSignature(covering: [.status.ofRequest]) { _, _ in nil }, "@status"),
    ] {
      let error = #expect(throws: LupineError.self) {
        try Session.Builder().transport(MockTransport()).install(plugin).build()
      }
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `a response without content needs no digest`() async throws {
    let key = try SampleKeys.key("test-key-ed25519")
    // The serializer of data refuses an empty 304, after the signature was accepted.
    for (status, kind) in [(204, nil), (304, .emptyResponse), (200, .serverNotAuthenticated)]
      as [(Int, LupineError.Kind?)]
    {
      let input = "(\"@status\");created=1618884479;keyid=\"test-key-ed25519\""
      let base = "\"@status\": \(status)\n\"@signature-params\": \(input)"
      let signature = Data(try key.signature(of: Array(base.utf8))).base64EncodedString()
      let mock = MockTransport()
      mock.stub(
        .get, "/",
        .status(HTTPResponse.Status(code: status)).field("Signature-Input", "a=\(input)")
          .field("Signature", "a=:\(signature):"))
      let session = try Session.Builder().transport(mock).now { Date(timeIntervalSince1970: Self.created) }
        .install(ResponseSignature { _, _ in key }).build()
      let response = await session.request("https://example.com/").serializingData()
        .response
      #expect(response.error?.kind == kind, "\(status): \(response.error?.message ?? "")")
    }
  }

  @Test func `parameters beyond a bound are refused before they are compared`() async throws {
    let many = (0..<10_000).map { ";p\($0)" }.joined()
    #expect(try await Self.error(Answer(input: "reqres=(\"@status\")\(many)"))?.kind == .serverNotAuthenticated)
  }
}
