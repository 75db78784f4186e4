import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

@testable import LupineAuthentication

/// The parameters `sf`, `key`, `bs` and `tr` of fields (RFC 9421 section 2.1).
@Suite struct SignatureFieldTests {
  private static func base(
    _ components: [SignatureComponent], _ fields: [(String, String)], trailers: [(String, String)]? = nil
  ) throws -> [String] {
    let base = try SignatureBase(
      components, parameters: "()", of: SignatureVector.testRequest, response: SignatureVector.response(200, fields),
      trailers: trailers.map { SignatureVector.response(200, $0).headerFields })
    return base.text.split(separator: "\n").dropLast().map(String.init)
  }

  private static let dictionary: SignatureComponent = "example-dict"
  private static let header: SignatureComponent = "example-header"

  /// Section 2.1.1.
  @Test func `a structured field is serialized strictly`() throws {
    let fields = [("Example-Dict", "  a=1,    b=2;x=1;y=2,   c=(a   b   c)")]
    #expect(
      try Self.base([Self.dictionary, Self.dictionary.structured(as: .dictionary)], fields) == [
        "\"example-dict\": a=1,    b=2;x=1;y=2,   c=(a   b   c)",
        "\"example-dict\";sf: a=1, b=2;x=1;y=2, c=(a b c)",
      ])
  }

  /// Section 2.1.2.
  @Test func `members of a dictionary are covered alone`() throws {
    let fields = [("Example-Dict", "  a=1, b=2;x=1;y=2, c=(a   b    c), d")]
    #expect(
      try Self.base(["a", "d", "b", "c"].map { Self.dictionary.member($0) }, fields) == [
        "\"example-dict\";key=\"a\": 1", "\"example-dict\";key=\"d\": ?1", "\"example-dict\";key=\"b\": 2;x=1;y=2",
        "\"example-dict\";key=\"c\": (a b c)",
      ])
  }

  /// Section 2.1.3.
  @Test func `the values of a field are covered in base64, each by itself`() throws {
    let several = [("Example-Header", "value, with, lots"), ("Example-Header", "of, commas")]
    let one = [("Example-Header", "value, with, lots, of, commas")]
    #expect(
      try Self.base([Self.header.inBytes], several) == [
        "\"example-header\";bs: :dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:"
      ])
    #expect(
      try Self.base([Self.header.inBytes], one) == [
        "\"example-header\";bs: :dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:"
      ])
  }

  /// Section 2.1.4.
  @Test func `trailers are covered once they have arrived`() throws {
    let components: [SignatureComponent] = [.status, "trailer", SignatureComponent("expires").ofTrailers]
    let fields = [("Content-Type", "text/plain"), ("Trailer", "Expires"), ("Expires", "never")]
    #expect(
      try Self.base(components, fields, trailers: [("Expires", "Wed, 9 Nov 2022 07:28:00 GMT")]) == [
        "\"@status\": 200", "\"trailer\": Expires", "\"expires\";tr: Wed, 9 Nov 2022 07:28:00 GMT",
      ])
    #expect(throws: SignatureBase.Fault.self) { try Self.base(components, fields) }
    #expect(throws: SignatureBase.Fault.self) { try Self.base(components, fields, trailers: []) }
  }

  @Test(
    arguments: [
      (.item, " a ", "a"), (.item, "-007", "-7"), (.item, "-0", "0"), (.item, "1.500;a=?1;b=?0;a=2", "1.5;a=2;b=?0"),
      (.item, "-0.0", "0.0"), (.item, "01.10", "1.1"), (.item, "\"a\\\"\\\\\"", "\"a\\\"\\\\\""), (.item, "?0", "?0"),
      (.item, ":YQ:", ":YQ==:"), (.item, "@-1", "@-1"), (.item, "%\"a%c3%bc%25\"", "%\"a%c3%bc%25\""),
      (.list, "a,b ,\tc", "a, b, c"), (.list, "( a  b );q=1.0,c", "(a b);q=1.0, c"), (.list, "", ""),
      (.dictionary, "a=?1,b;x,a=2", "a=2, b;x"), (.dictionary, "a=();x", "a=();x"), (.item, "a, b", nil),
      (.item, "", nil), (.item, "1.", nil), (.item, "1234567890123456", nil), (.item, "1.2345", nil),
      (.item, "\"a", nil), (.item, "\"\\a\"", nil), (.item, "?2", nil), (.item, ":*:", nil), (.item, "@1.5", nil),
      (.item, "%\"%C3\"", nil), (.item, "%\"%ff\"", nil), (.item, "a;B=1", nil), (.list, "a,", nil),
      (.list, "a b", nil),
      (.list, "(a", nil), (.list, "(a\"b\")", nil), (.dictionary, "A=1", nil), (.dictionary, "a=", nil),
      (.dictionary, "a=1,", nil), (.dictionary, "\u{FC}", nil),
    ] as [(StructuredFieldKind, String, String?)])
  func `structured fields have one serialization`(_ kind: StructuredFieldKind, _ text: String, _ strict: String?) {
    #expect(kind.serialized(text) == strict)
  }

  @Test(
    arguments: [
      (dictionary.member("z"), "no member z"), (dictionary.structured(), "kind"),
      (dictionary.structured(as: .item), "no structured field"), (SignatureComponent.method.inBytes, "no component"),
      (SignatureComponent.path.member("a"), "no component"), (dictionary.ofTrailers, "trailer"),
      (SignatureComponent("x-missing").inBytes, "no field x-missing"),
    ])
  func `a form that the field does not have is an error`(_ component: SignatureComponent, _ reason: String) async throws
  {
    let signature = MessageSignature(
      covering: [component], to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    let session = try Session.Builder().transport(MockTransport()).build()
    let request = SignatureVector.request(method: .get, fields: [("Example-Dict", "a=1, b")], body: .none)
    let error = await #expect(throws: LupineError.self) { try await signature.adapt(request, for: session) }
    #expect(error?.kind == .adaptationFailed)
    #expect(error?.message.contains(reason) == true)
  }

  @Test func `the order of parameters and the kind of a field make no other component`() throws {
    func component(_ text: String) -> SignatureComponent? {
      SignatureInput.members(of: "a=(\(text))")?["a"]?.components?.first
    }
    let member = Self.dictionary.member("a").ofRequest
    #expect(component("\"example-dict\";key=\"a\";req") == member)
    #expect(component("\"example-dict\";req;key=\"a\"") == member)
    #expect(component("\"example-dict\";req;key=\"a\"")?.description == "\"example-dict\";req;key=\"a\"")
    #expect(component("\"example-dict\";sf") == Self.dictionary.structured(as: .list))
    #expect(component("\"example-dict\";sf") != Self.dictionary)
    for text in [";bs;sf", ";bs;key=\"a\"", ";key=\"a\";bs", ";sf=?1", "; sf", ";bs=1", ";tr=?0", ";x", ";key=a"] {
      #expect(component("\"example-dict\"\(text)") == nil)
    }
  }

  @Test func `a component that is repeated in another spelling is an error`() throws {
    let inputs = SignatureInput.members(of: "a=(\"example-dict\";key=\"a\";req \"example-dict\";req;key=\"a\")")
    let components = try #require(inputs?["a"]?.components)
    #expect(components.count == 2)
    #expect(throws: SignatureBase.Fault.self) { try Self.base(components, []) }
  }

  @Test func `the signature of a response may cover each form, and its kind is the program's`() async throws {
    let key = try SampleKeys.key("test-key-ed25519")
    let input =
      "(\"@status\" \"example-dict\";sf \"priority\";sf \"set-cookie\";bs);created=1;keyid=\"test-key-ed25519\""
    let base = """
      "@status": 200
      "example-dict";sf: a=1, b
      "priority";sf: u=1, i
      "set-cookie";bs: :YT0x:, :Yj0y:
      "@signature-params": \(input)
      """
    let signature = Data(try key.signature(of: Array(base.utf8))).base64EncodedString()
    let mock = MockTransport()
    mock.stub(
      .get, "/",
      .text("x").field("Example-Dict", "a=1,b").field("Priority", "u=1,i").field("Set-Cookie", "a=1")
        .field("Set-Cookie", "b=2").field("Signature-Input", "a=\(input)").field("Signature", "a=:\(signature):"))
    func error(_ component: SignatureComponent) async throws -> LupineError? {
      let session = try Session.Builder().transport(mock).now { Date(timeIntervalSince1970: 2) }
        .install(ResponseSignature(covering: [.status, component]) { _, _ in key }).build()
      return await session.request("https://example.com/").serializingData().response.error
    }
    #expect(try await error(Self.dictionary.structured(as: .dictionary)) == nil)
    #expect(try await error(Self.dictionary)?.message.contains("does not cover") == true)
    #expect(try await error(.status)?.message.contains("kind") == true)
  }
}
