import HTTPTypes
import LupineAuthentication
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct ConnectionAuthenticationTests {
  private static func session(_ mock: MockTransport, _ plugin: ConnectionAuthentication) throws -> Session {
    try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://a.example.com").install(plugin)
      .build()
  }

  private static let ntlm = ConnectionAuthentication.ntlm(username: "D\\u", password: "secretRw4uPz8nYc")

  private static func issues(_ builder: Session.Builder) -> [ConfigurationIssue] {
    let error = #expect(throws: LupineError.self) { _ = try builder.build() }
    guard case .configuration(let issues) = error?.kind else { return [] }
    return issues
  }

  @Test func `connections to the base URL's origin are proved, others are not`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("ok"))
    let session = try Self.session(mock, .negotiate())
    for url in ["https://a.example.com/x", "https://b.example.com/", "http://a.example.com/"] {
      _ = await session.request(url).serializingData().response
    }
    #expect(mock.requests.map { $0.connectionCredential?.scheme } == [.negotiate, nil, nil])
  }

  @Test func `a redirect to another origin and back is sent without the credential`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://a.example.com/", .redirect(to: "https://b.example.com/"))
    mock.stub(.get, "https://b.example.com/", .redirect(to: "https://a.example.com/end"))
    mock.stub(.get, "https://a.example.com/end", .text("ok"))
    _ = await (try Self.session(mock, Self.ntlm)).request("https://a.example.com/").serializingData().response
    #expect(mock.requests.map { $0.connectionCredential != nil } == [true, false, false])
  }

  @Test func `a transport that cannot is refused`() {
    let builder = Session.Builder().transport(Bare()).baseURL("https://a.example.com").install(Self.ntlm)
    #expect(Self.issues(builder).map(\.part) == ["connectionCredential"])
  }

  @Test(arguments: ["\r\n", "\u{0}", "\u{7F}", "\u{1B}"])
  func `a name or a password with a control byte is refused`(control: String) {
    for (name, password) in [("u\(control)", "p"), ("u", "p\(control)")] {
      let builder = Session.Builder().transport(MockTransport()).baseURL("https://a.example.com")
        .install(.ntlm(username: name, password: password))
      #expect(Self.issues(builder).count == 1)
    }
  }

  @Test func `a place to use it and a password for NTLM must be there`() {
    let builder = Session.Builder().transport(MockTransport())
    #expect(Self.issues(builder.install(.negotiate())).count == 1)
    #expect(Self.issues(builder.install(.negotiate(to: .origins(["nowhere"])))).count == 1)
    let ntlm = ConnectionCredential(scheme: .ntlm)
    #expect(Self.issues(builder.connectionCredential(ntlm, to: .anyOrigin)).count == 1)
  }

  @Test func `a description has no password`() {
    let credential = ConnectionCredential(
      scheme: .ntlm, credential: Credential(username: "u", password: "secretRw4uPz8nYc"))
    var connectionKey = ConnectionKey()
    connectionKey.connectionCredential = credential
    #expect("\(credential)" == "ConnectionCredential(NTLM, u)")
    #expect(!"\(connectionKey) \(String(reflecting: credential))".contains("secretRw4uPz8nYc"))
  }
}

private struct Bare: Transport {
  let capabilities: TransportCapabilities = []

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    throw LupineError(.other, "This transport sends nothing.")
  }

  func shutdown() async {}
}
