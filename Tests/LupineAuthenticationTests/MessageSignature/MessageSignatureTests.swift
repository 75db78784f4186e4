import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

@testable import LupineAuthentication

@Suite struct MessageSignatureTests {
  private static let signatureInput = HTTPField.Name.signatureInput

  private static func session(_ mock: MockTransport = MockTransport(), at seconds: Double = 1_618_884_473) throws
    -> Session
  {
    try Session.Builder().transport(mock).now { Date(timeIntervalSince1970: seconds) }.random { 0xAB }.build()
  }

  private static func adapted(
    _ request: OutgoingRequest, _ signature: MessageSignature, at seconds: Double = 1_618_884_473
  ) async throws -> OutgoingRequest {
    try await signature.adapt(request, for: session(at: seconds))
  }

  @Test(arguments: SignatureVector.all)
  func `the signature base is that of the RFC`(_ vector: SignatureVector) throws {
    let base = try SignatureBase(
      vector.components, parameters: vector.input, of: vector.request, response: vector.response)
    #expect(base.text == vector.base)
  }

  @Test(arguments: SignatureVector.all, [false, true])
  func `the signature of the RFC is valid, and a changed one is not`(_ vector: SignatureVector, isPublic: Bool) throws {
    let key = try SampleKeys.key(vector.key, isPublic: isPublic)
    let signature = Array(try #require(Data(base64Encoded: vector.signature)))
    let base = Array(vector.base.utf8)
    #expect(key.isValid(signature, of: base))
    var changed = signature
    changed[changed.count / 2] ^= 1
    #expect(!key.isValid(changed, of: base))
    #expect(!key.isValid(signature, of: base + [0]))
    #expect(!key.isValid(Array(signature.dropLast()), of: base))
    #expect(!key.isValid([], of: base))
  }

  @Test(arguments: SignatureVector.all)
  func `an own signature is valid`(_ vector: SignatureVector) throws {
    let base = Array(vector.base.utf8)
    let signature = try SampleKeys.key(vector.key).signature(of: base)
    #expect(try SampleKeys.key(vector.key, isPublic: true).isValid(signature, of: base))
    // These algorithms have one signature for a message.
    if ["test-key-rsa", "test-key-ed25519", "test-shared-secret"].contains(vector.key) {
      #expect(Data(signature).base64EncodedString() == vector.signature)
    }
  }

  @Test(
    arguments: SignatureVector.all.filter {
      $0.response == nil && ["B.2.5", "B.2.6", "B.4", "4.3"].contains($0.section)
    })
  func `the adapter signs a request as the RFC does`(_ vector: SignatureVector) async throws {
    let isLong = vector.section == "4.3"
    var parameters = SignatureParameters()
    parameters.namesAlgorithm = isLong
    let signature = MessageSignature(
      covering: vector.components, digest: nil, label: "sig", lifetime: isLong ? .seconds(60) : nil,
      parameters: parameters, to: .anyOrigin, key: try SampleKeys.key(vector.key))
    let request = try await Self.adapted(vector.request, signature, at: isLong ? 1_618_884_480.9 : 1_618_884_473)
    #expect(request.headers[.signatureInput] == "sig=\(vector.input)")
    #expect(request.headers[.signature] == "sig=:\(vector.signature):")
  }

  @Test func `a body gets a digest, which the signature covers`() async throws {
    let signature = MessageSignature(to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    let request = try await Self.adapted(
      SignatureVector.request("https://example.com/a?b", body: .text("{\"hello\": \"world\"}")), signature)
    #expect(request.headers[.contentDigest] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
    #expect(
      request.headers[.signatureInput]
        == #"sig1=("@method" "@authority" "@path" "@query" "content-digest");created=1618884473;keyid="test-key-ed25519""#
    )
    let bodiless = try await Self.adapted(
      SignatureVector.request("https://example.com/a", method: .get, body: .none), signature)
    #expect(bodiless.headers[.contentDigest] == nil)
    #expect(bodiless.headers[.signatureInput]?.contains("content-digest") == false)
  }

  @Test func `the optional parameters have the session's randomness and escaped texts`() async throws {
    var parameters = SignatureParameters()
    parameters.hasNonce = true
    parameters.tag = #"a "b" \c"#
    let signature = MessageSignature(
      covering: [], parameters: parameters, to: .anyOrigin, key: try SignatureKey(id: nil, secret: Array(0..<32)))
    let request = try await Self.adapted(SignatureVector.request(method: .get, body: .none), signature)
    #expect(
      request.headers[.signatureInput]
        == #"sig1=();created=1618884473;nonce="00000000000000ab00000000000000ab";tag="a \"b\" \\c""#)
  }

  @Test(
    arguments: [
      ("@query-param", "Pet", "0 times"), ("x-missing", nil, "no field x-missing"), ("@status", nil, "responses only"),
      ("@nonsense", nil, "no component"), ("content-length", nil, "no field content-length"),
      ("x-umlaut", nil, "visible ASCII"),
    ] as [(String, String?, String)])
  func `a part that is missing is an error`(_ name: String, _ parameter: String?, _ reason: String) async throws {
    let component = SignatureComponent(name: name, parameter: parameter)
    let signature = MessageSignature(
      covering: [component], to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    let request = SignatureVector.request(
      "https://example.com/", method: .get, fields: [("X-Umlaut", "\u{FC}")], body: .none)
    let error = await #expect(throws: LupineError.self) { try await Self.adapted(request, signature) }
    #expect(error?.kind == .adaptationFailed)
    #expect(error?.message.contains(reason) == true)
  }

  @Test(arguments: ["a=1&a=2", "a=%61&%61=b"])
  func `a parameter of the query that occurs twice is an error`(_ query: String) async throws {
    let signature = MessageSignature(
      covering: [.queryParameter("a")], to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    let request = SignatureVector.request("https://example.com/?\(query)", method: .get, body: .none)
    await #expect(throws: LupineError.self) { try await Self.adapted(request, signature) }
  }

  /// The examples of RFC 9421 section 2.2.8.
  @Test(
    arguments: [
      ("var", "this%20is%20a%20big%0Amultiline%20value"), ("bar", "with%20plus%20whitespace"),
      ("fa\u{E7}ade\": ", "something"), ("baz", "%7E*%21"),
    ])
  func `parameters of the query are encoded as the RFC says`(_ name: String, _ value: String) throws {
    let query =
      "var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something&baz=~*!"
    let component = SignatureComponent.queryParameter(name)
    let request = SignatureVector.request("https://example.com/parameters?\(query)", method: .get, body: .none)
    let base = try SignatureBase([component], parameters: "()", of: request)
    #expect(base.text == "\(component): \(value)\n\"@signature-params\": ()")
  }

  @Test func `a component that occurs twice is an error`() async throws {
    let signature = MessageSignature(
      covering: [.method, .method], to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    await #expect(throws: LupineError.self) { try await Self.adapted(SignatureVector.testRequest, signature) }
  }

  @Test(arguments: ["Sig", "", "a b", "1", "a=1", "ü", "a\r\nb"])
  func `a label that no dictionary has is an error`(_ label: String) async throws {
    let signature = MessageSignature(label: label, to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    let error = await #expect(throws: LupineError.self) {
      try await Self.adapted(SignatureVector.testRequest, signature)
    }
    #expect(error?.kind == .adaptationFailed)
  }

  @Test(arguments: [SignatureComponent.status, .method.ofRequest, .field(.date).ofRequest])
  func `a request is not signed with a component of responses`(_ component: SignatureComponent) async throws {
    let signature = MessageSignature(
      covering: [component], to: .anyOrigin, key: try SampleKeys.key("test-key-ed25519"))
    let request = SignatureVector.request(
      "https://example.com/", method: .get, fields: [("Date", "Tue, 20 Apr 2021 02:07:55 GMT")], body: .none)
    let error = await #expect(throws: LupineError.self) { try await Self.adapted(request, signature) }
    #expect(error?.kind == .adaptationFailed)
  }

  @Test func `build reports a label, a tag, a lifetime and a component that no request can have`() throws {
    let key = try SampleKeys.key("test-key-ed25519")
    var tagged = SignatureParameters()
    tagged.tag = "a\nb"
    for signature in [
      MessageSignature(label: "Sig", to: .anyOrigin, key: key),
      MessageSignature(parameters: tagged, to: .anyOrigin, key: key),
      MessageSignature(lifetime: .zero, to: .anyOrigin, key: key),
      MessageSignature(lifetime: .seconds(-1), to: .anyOrigin, key: key),
      MessageSignature(covering: [.status], to: .anyOrigin, key: key),
    ] {
      let error = #expect(throws: LupineError.self) {
        try Session.Builder().transport(MockTransport()).install(signature).build()
      }
      guard case .configuration(let issues) = error?.kind else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(issues.map(\.part) == ["messageSignature"])
    }
  }

  @Test(
    arguments: [
      (0, .milliseconds(1), 0, 1), (10, .seconds(60), 10, 70), (10, .milliseconds(60_001), 10, 71),
      (.infinity, .seconds(1), 999_999_999_999_999, 999_999_999_999_999),
      (-.infinity, .seconds(1), -999_999_999_999_999, -999_999_999_999_998), (.nan, .seconds(1), 0, 1),
      (1e15, .seconds(Int64.max), 999_999_999_999_999, 999_999_999_999_999),
    ] as [(Double, Duration, Int64, Int64)])
  func `a lifetime is rounded up, and times stay within the integers of fields`(
    _ now: Double, _ lifetime: Duration, _ created: Int64, _ expires: Int64
  ) async throws {
    let signature = MessageSignature(
      covering: [], lifetime: lifetime, to: .anyOrigin, key: try SignatureKey(id: nil, secret: Array(0..<32)))
    let request = try await Self.adapted(SignatureVector.request(method: .get, body: .none), signature, at: now)
    #expect(request.headers[.signatureInput] == "sig1=();created=\(created);expires=\(expires)")
  }

  @Test func `equal keys are equal, and others are not`() throws {
    let keys = try ["test-key-ed25519", "test-key-rsa", "test-shared-secret"].map { try SampleKeys.key($0) }
    for (index, name) in ["test-key-ed25519", "test-key-rsa", "test-shared-secret"].enumerated() {
      #expect(keys.firstIndex(of: try SampleKeys.key(name)) == index)
    }
    #expect(Set(keys).count == 3)
    #expect(try SampleKeys.key("test-key-rsa", isPublic: true) != keys[1])
  }

  @Test func `two signers with two labels sign one request, and the same label twice is an error`() async throws {
    let key = try SampleKeys.key("test-key-ed25519")
    let once = try await Self.adapted(
      SignatureVector.testRequest, MessageSignature(covering: [.method], to: .anyOrigin, key: key))
    let both = MessageSignature(covering: ["signature"], label: "proxy", to: .anyOrigin, key: key)
    let twice = try await Self.adapted(once, both)
    #expect(twice.headers[values: .signature].count == 2)
    await #expect(throws: LupineError.self) {
      try await Self.adapted(once, MessageSignature(covering: [.path], to: .anyOrigin, key: key))
    }
  }

  @Test func `each attempt gets a new signature, and another origin gets none`() async throws {
    let mock = MockTransport()
    mock.stub(
      .get, "https://api.example.com/a",
      .sequence([.status(.serviceUnavailable), .redirect(to: "https://b.example.com/")]))
    mock.stub(.get, "https://b.example.com/", .text("b"))
    let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").clock(ImmediateClock())
      .retrier(.backoff(limit: 1)).install(MessageSignature(key: try SampleKeys.key("test-key-ed25519"))).build()
    #expect(try await session.request("a").serializingString().value == "b")
    let inputs = mock.requests.map { $0.headers[values: .signatureInput] }
    #expect(inputs.map(\.count) == [1, 1, 0])
    #expect(mock.requests.map { $0.headers[values: .signature].count } == [1, 1, 0])
  }

  @Test func `an exchange after a redirect within the origin gets a new signature of its own URL`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "https://api.example.com/a", .redirect(to: "/b", status: .seeOther))
    mock.stub(.get, "https://api.example.com/b", .text("b"))
    let key = try SampleKeys.key("test-key-ed25519")
    let session = try Session.Builder().transport(mock).baseURL("https://api.example.com")
      .install(MessageSignature(covering: [.method, .path], key: key)).now { Date(timeIntervalSince1970: 1) }.build()
    #expect(try await session.upload(.text("x"), to: "a").serializingString().value == "b")
    let inputs = mock.requests.map { $0.headers[.signatureInput] ?? "" }
    let parameters = ";created=1;keyid=\"test-key-ed25519\""
    #expect(
      inputs == [
        "sig1=(\"@method\" \"@path\" \"content-digest\")\(parameters)", "sig1=(\"@method\" \"@path\")\(parameters)",
      ])
    let base = "\"@method\": GET\n\"@path\": /b\n\"@signature-params\": (\"@method\" \"@path\")\(parameters)"
    let signature = Data(try key.signature(of: Array(base.utf8))).base64EncodedString()
    #expect(mock.requests.last?.headers[.signature] == "sig1=:\(signature):")
  }

  @Test func `an installed signature can cover a field that the session adds`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://api.example.com/", .text("x"))
    let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").header(.userAgent, "Test/1")
      .install(MessageSignature(covering: ["user-agent"], key: try SampleKeys.key("test-key-ed25519"))).build()
    #expect(try await session.request("/").serializingString().value == "x")
  }

  @Test func `a key of another algorithm, a short one and an unreadable one are errors`() throws {
    for algorithm in SignatureKey.Algorithm.allCases where algorithm != .ed25519 {
      #expect(throws: LupineError.self) {
        try SignatureKey(id: "a", algorithm: algorithm, privateKey: SampleKeys.ed25519)
      }
    }
    #expect(throws: LupineError.self) { try SignatureKey(id: "a", algorithm: .ecdsaP384, privateKey: SampleKeys.p256) }
    let unreadable = #expect(throws: LupineError.self) {
      try SignatureKey(id: "a", algorithm: .ed25519, privateKey: "")
    }
    #expect(unreadable?.message.contains("error:") == true)
    #expect(throws: LupineError.self) {
      try SignatureKey(id: "a", algorithm: .ed25519, privateKey: SampleKeys.ed25519Public)
    }
    #expect(throws: LupineError.self) {
      try SignatureKey(id: "\n", algorithm: .ed25519, privateKey: SampleKeys.ed25519)
    }
    #expect(throws: LupineError.self) { try SignatureKey(id: "a", secret: Array(0..<15)) }
    #expect(throws: LupineError.self) { try SampleKeys.key("test-key-rsa", isPublic: true).signature(of: [1]) }
  }

  @Test func `the description of a key omits it`() throws {
    let key = try SignatureKey(id: "a", secret: Array("hidden6hidden6hidden6".utf8))
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key)" == "SignatureKey(a, hmac-sha256)")
    #expect(!dumped.contains("104"))
  }
}
