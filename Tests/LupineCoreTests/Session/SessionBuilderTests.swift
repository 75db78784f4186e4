import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession
@testable import LupineCoding

@Suite struct SessionBuilderTests {
  @Test func `a step leaves the builder it was called on as it was`() throws {
    let first = Session.Builder().transport(MockTransport()).baseURL("https://a.example.com")
    let second = first.baseURL("https://b.example.com").header(.userAgent, "two").adapter(BearerToken("t"))
    let made = try first.build()
    #expect(made.baseURL?.host == "a.example.com")
    #expect(made.configuration.adapters.isEmpty)
    #expect(try second.build().baseURL?.host == "b.example.com")
  }

  @Test func `of a step that sets, the last counts`() throws {
    let session = try TestBed().session { $0.timeouts(idle: .seconds(1)).timeouts(connect: nil, total: .seconds(9)) }
    #expect(session.configuration.timeouts == Timeouts(connect: nil, idle: .seconds(60), total: .seconds(9)))
  }

  @Test func `without a network, an idle timeout runs on no system's clock unless it is asked for`() async throws {
    let builder = Session.Builder().transport(MockTransport())
    #expect(try builder.build().configuration.timeouts == Timeouts(idle: nil))
    #expect(try builder.clock(TestClock()).build().configuration.timeouts == Timeouts())
    #expect(try builder.timeouts(total: .seconds(9)).build().configuration.timeouts == Timeouts(total: .seconds(9)))
    let wire = ClosureTransport(capabilities: .networking) { _, _ throws(LupineError) in throw LupineError(.other, "") }
    #expect(try builder.transport(wire).build().configuration.timeouts == Timeouts())
    let silent = ClosureTransport { _, _ throws(LupineError) in throw LupineError(.other, "") }
    #expect(try builder.transport(silent).build().configuration.timeouts == Timeouts())
    let simulated = try await withSimulation {
      try Session.Builder().transport(MockTransport()).build().configuration.timeouts
    }
    #expect(simulated == Timeouts())
  }

  @Test func `real servers' certificates are judged by the system's date, unless a date is given`() throws {
    let clock = TestClock(date: Date(timeIntervalSince1970: 1_900_000_000))
    let wire = ClosureTransport(capabilities: .networking) { _, _ throws(LupineError) in throw LupineError(.other, "") }
    let builder = Session.Builder().transport(wire).clock(clock)
    #expect(try builder.build().currentDate != clock.date)
    #expect(try builder.now { clock.date }.build().currentDate == clock.date)
  }

  @Test func `every issue is named at once`() throws {
    let builder = Session.Builder()
      .baseURL("ftp://example.com").header(.userAgent, "a\nb")
      .header(.authorization, "secret", to: .origins(["nowhere"]))
      .timeouts(idle: .zero, total: .seconds(-1)).trust(["*.com": .custom { _ in }, "exa mple": .custom { _ in }])
    let error = try #require(throws: LupineError.self) { _ = try builder.build() }
    guard case .configuration(let issues) = error.kind else { return #expect(Bool(false), "\(error)") }
    let parts = issues.map(\.part).sorted()
    #expect(parts == ["baseURL", "header", "header", "timeouts", "timeouts", "transport", "trust", "trust"])
    #expect(issues.allSatisfy { error.message.contains($0.reason) })
    #expect(!error.message.contains("secret\""))
  }

  @Test(arguments: ["https://example.com/v1?x=1", "https://example.com/#f", "/v1", "https://u:p@example.com", ""])
  func `an invalid base URL, or one with more than a path, is refused`(text: String) {
    #expect(throws: LupineError.self) { _ = try TestBed().session { $0.baseURL(text) } }
  }

  static let demanding: [(capability: String, change: @Sendable (Session.Builder) -> Session.Builder)] = [
    ("trustEvaluation", { $0.trust(["example.com": .custom { _ in }]) }),
    ("clientCertificates", { $0.clientCertificate(.pkcs12("a.p12", passphrase: "")) }),
    ("tlsVersions", { $0.tlsVersions(minimum: .tls1_3) }),
    ("connectionAuthentication", { $0.connectionCredential(.ntlm(username: "u", password: "p"), to: .anyOrigin) }),
    ("proxies", { $0.proxy("http://proxy.example.com") }), ("unixSockets", { $0.unixSocket("/run/a") }),
    ("strictFraming, streamEndChecks", { $0.requiring(.streamEndChecks).requiring(.strictFraming) }),
  ]

  @Test(arguments: demanding.indices)
  func `what the transport cannot do is refused, with the same message each time`(index: Int) throws {
    let transport = ClosureTransport { _, context in context.answer() }
    let (capability, change) = Self.demanding[index]
    let builder = change(Session.Builder().transport(transport))
    let error = try #require(throws: LupineError.self) { _ = try builder.build() }
    guard case .configuration(let issues) = error.kind else { return #expect(Bool(false), "\(error)") }
    #expect(issues.map(\.reason) == ["the transport does not support it (it lacks \(capability))"])
  }

  @Test func `a plugin adds its parts at the place of its installation`() throws {
    struct Two: Plugin {
      func install(in builder: inout Session.Builder) { builder = builder.adapter(Mark("2")).adapter(Mark("3")) }
    }
    let session = try TestBed().session { $0.adapter(Mark("1")).install(Two()).adapter(Mark("4")) }
    #expect(session.configuration.adapters.compactMap { ($0 as? Mark)?.text } == ["1", "2", "3", "4"])
  }

  @Test func `a field that is marked secret later keeps the scope it was given`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.header(.custom, "key", to: .anyOrigin).secretField(.custom) }
    _ = try await session.request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.first?.headers[.custom] == "key")
  }

  @Test func `the serializers are set up for every request, and one given to a request has its own rules`() async throws
  {
    let session = try TestBed(.status(.ok)).session { $0.serializers(emptyResponseCodes: [200]) }
    #expect(try await session.request(TestBed.url).serializingJSON().value == .null)
    let own = session.request(TestBed.url).serializingResponse(using: .json)
    #expect(await #expect(throws: LupineError.self) { try await own.value }?.kind == .emptyResponse)
  }

  @Test func `the session has a preprocessor for all serializers`() async throws {
    let session = try TestBed(.text(")]}',\n[1]")).session { $0.serializers(preprocessor: .googleXSSI) }
    let request = session.request(TestBed.url)
    #expect(try await request.serializingJSON().value == [1])
    #expect(try await session.request(TestBed.url).serializingString().value == "[1]")
  }

  @Test func `the error of a builder has one full stop at its end`() {
    let error = #expect(throws: LupineError.self) {
      try TestBed().session { $0.baseURL("example.com").timeouts(idle: .zero) }
    }
    #expect(error?.message.hasSuffix(".") == true)
    #expect(error?.message.contains("..") == false)
    #expect(error?.message.contains(".;") == false)
  }

  @Test func `each step reaches the session`() throws {
    var limits = Limits()
    limits.redirects = 3
    let session = try TestBed().session { [limits] builder in
      builder.limits(limits).random { 7 }.startsImmediately(false).retrier(.backoff()).interceptor(Pass())
        .secretField(.custom).certificateAuthorities("/roots.pem").parameterEncoder(.json)
    }
    let configuration = session.configuration
    #expect(configuration.limits.redirects == 3)
    #expect(configuration.random() == 7)
    #expect(!configuration.startsImmediately)
    #expect(configuration.retriers.count == 1)
    #expect(configuration.interceptors.count == 1)
    #expect(configuration.secretFields.contains(.custom))
    #expect(configuration.connectionKey.certificateAuthorities == "/roots.pem")
    #expect(configuration.parameterEncoder is JSONParameterEncoder)
  }

  @Test func `all values of a repeated default field are sent`() async throws {
    let bench = TestBed()
    var fields = HTTPFields()
    fields.append(HTTPField(name: .custom, value: "1"))
    fields.append(HTTPField(name: .custom, value: "2"))
    let session = try bench.session { [fields] in $0.header(.custom, "0").headers(fields) }
    _ = try await session.request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.first?.headers[values: .custom] == ["1", "2"])
  }

  @Test func `a field of the request replaces the session's`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.header(.userAgent, "session").header(.custom, "session") }
    _ = try await session.request(TestBed.url, headers: [.userAgent: "request"]).serializingData().value
    #expect(bench.mock.requests.first?.headers[values: .userAgent] == ["request"])
    #expect(bench.mock.requests.first?.headers[.custom] == "session")
  }
}

/// An adapter that appends a field with its text to each request.
struct Mark: RequestAdapter {
  let text: String

  init(_ text: String) { self.text = text }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    request.headers.append(HTTPField(name: .custom, value: text))
    return request
  }
}

/// An interceptor that changes neither the request nor the response.
struct Pass: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    try await next(request)
  }
}
