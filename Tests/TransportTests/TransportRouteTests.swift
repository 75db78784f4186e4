import HTTPTypes
import LupineCore
import LupineCurl
import LupineMock
import LupineNative
import LupineSession
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// Sessions with several transports: `Session.Builder.transport(_:for:)`.
@Suite(.timeLimit(.minutes(1))) struct TransportRouteTests {
  private static func mock(_ name: String) -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text(name))
    return mock
  }

  @Test(
    arguments: [
      ("http://api.example.com/", "standard"), ("https://api.example.com/", "secured"),
      ("https://wiki.corp.example/", "wildcard"), ("http://wiki.corp.example./", "wildcard"),
      ("https://corp.example/", "secured"), ("https://a.wiki.corp.example/", "secured"),
      ("https://mail.corp.example/", "exact"), ("https://mail.corp.example:8443/", "port"),
      ("https://192.0.2.7/", "address"),
    ])
  func `the host chooses the transport, then the scheme`(url: String, name: String) async throws {
    let session = try Session.Builder()
      .transport(Self.mock("standard"))
      .transport(Self.mock("secured"), for: .https)
      .transport(Self.mock("wildcard"), for: "*.corp.example")
      .transport(Self.mock("replaced"), for: "Mail.Corp.Example")
      .transport(Self.mock("exact"), for: "mail.corp.example")
      .transport(Self.mock("port"), for: "mail.corp.example:8443")
      .transport(Self.mock("address"), for: "192.0.2.7")
      .build()
    #expect(try await session.request(url).serializingString().value == name)
  }

  @Test func `a transport for http needs TLS if a proxy for http is reached with TLS`() throws {
    struct PlainTransport: WrappingTransport {
      let base: any Transport
      var capabilities: TransportCapabilities { base.capabilities.subtracting(.trustEvaluation) }
    }
    let builder = Session.Builder().transport(MockTransport())
      .transport(PlainTransport(base: MockTransport()), for: .http).trust(["proxy.example": .refuse])
    _ = try builder.proxy("http://proxy.example:3128").build()
    _ = try builder.proxy("https://proxy.example:3128", for: [.https]).build()
    let error = #expect(throws: LupineError.self) { try builder.proxy("https://proxy.example:3128").build() }
    #expect(error?.message.contains("trustEvaluation") == true)
  }

  @Test func `an override of several transports counts the mock once`() async throws {
    let mock = Self.mock("mock")
    let session = try await TransportOverride.wrapping({ mock.imitating($0) }) {
      try Session.Builder().transport(MockTransport()).transport(MockTransport(), for: "b.example").build()
    }
    for host in ["a", "b"] { _ = try await session.request("https://\(host).example/").serializingData().value }
    #expect(mock.exchanges.count == 2)
  }

  @Test func `a redirect to another host uses that host's transport, within the same layers`() async throws {
    struct CountingLayer: ExchangeLayer {
      let hosts: HostLog

      func send(
        _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
      ) async throws(LupineError) -> TransportResponse {
        hosts.names.withLock { $0.append(request.url.host) }
        return try await next(request, in: context)
      }
    }
    let (first, second, log) = (MockTransport(), Self.mock("second"), HostLog())
    first.stub(.get, "https://a.example/", .redirect(to: "https://b.example/end"))
    let session = try Session.Builder().transport(first).transport(second, for: "b.example")
      .exchangeLayer("counting") { CountingLayer(hosts: log) }
      .build()
    #expect(try await session.request("https://a.example/").serializingString().value == "second")
    #expect(first.requests.count == 1 && second.requests.count == 1)
    #expect(log.names.withLock { $0 } == ["a.example", "b.example"])
  }

  private final class HostLog: Sendable {
    let names = Mutex<[String]>([])
  }

  @Test(arguments: [true, false])
  func `two transports with a network serve one session beside a mock`(isNativeStandard: Bool) async throws {
    let server = try ScriptedServer { _ in .respond(body: .text("network")) }
    defer { server.stop() }
    let (curl, native) = (CurlTransport(), NativeTransport())
    let builder = Session.Builder().resolve("other.example", to: "127.0.0.1")
      .transport(Self.mock("mock"), for: "mock.example")
    let session =
      try isNativeStandard
      ? builder.transport(native).transport(curl, for: "other.example").build()
      : builder.transport(curl).transport(native, for: "other.example").build()
    #expect(try await session.request("https://mock.example/").serializingString().value == "mock")
    for host in ["127.0.0.1", "other.example"] {
      #expect(try await session.request("http://\(host):\(server.port)/").serializingString().value == "network")
    }
    #expect(await curl.connectionPool()?.open == 1)
    #expect(await native.connectionPool()?.open == 1)
    #expect(await session.connectionPool()?.open == 2)
    await session.shutdown()
    await curl.shutdown()
    await native.shutdown()
  }

  private func issues(_ builder: Session.Builder) -> [String] {
    do throws(LupineError) {
      _ = try builder.build()
      return []
    } catch {
      guard case .configuration(let issues) = error.kind else { return ["\(error)"] }
      return issues.map(\.description)
    }
  }

  @Test func `the capabilities of each transport are checked`() {
    let mock = Self.mock("mock")
    let issues = issues(
      Session.Builder().transport(.native).transport(mock, for: "*.corp.example").requiring(.strictFraming))
    #expect(issues.count == 1)
    #expect(issues.first?.contains("the transport for *.corp.example does not support it") == true, "\(issues)")
    #expect(issues.first?.contains("strictFraming") == true)
  }

  @Test func `a connection credential needs only the transports of its scope`() {
    let builder = Session.Builder().transport(.native).transport(.curl, for: "*.corp.example")
    let credential = ConnectionCredential.ntlm(username: "ali", password: "sesame")
    #expect(issues(builder.connectionCredential(credential, to: .origins(["https://wiki.corp.example"]))) == [])
    #expect(issues(builder.baseURL("https://wiki.corp.example/api").connectionCredential(credential)) == [])
    for scope in [CredentialScope.anyOrigin, .origins(["https://wiki.corp.example", "https://a.example"])] {
      let issues = issues(builder.connectionCredential(credential, to: scope))
      #expect(issues.count == 1 && issues.first?.contains("connectionAuthentication") == true, "\(issues)")
    }
  }

  @Test(arguments: ["*.example", "https://a.example", "a.example/path", "", "*"])
  func `text that is no pattern of hosts is an error of the builder`(text: String) {
    let issues = issues(Session.Builder().transport(.native).transport(.curl, for: text))
    #expect(issues.count == 1 && issues.first?.contains("neither a host name nor") == true, "\(issues)")
  }

  @Test func `a transport for other hosts is required`() {
    #expect(issues(Session.Builder().transport(.native, for: "a.example")).first?.contains("for other hosts") == true)
  }

  @Test func `the requests of a mock for several hosts are recorded once`() async throws {
    let mock = Self.mock("mock")
    let session = try Session.Builder().transport(.native).transport(mock, for: "a.example")
      .transport(mock, for: "b.example").build()
    for host in ["a", "b"] { _ = try await session.request("https://\(host).example/").serializingString().value }
    #expect(mock.exchanges.count == 2)
    #expect(mock.requests.count == 2)
  }
}
