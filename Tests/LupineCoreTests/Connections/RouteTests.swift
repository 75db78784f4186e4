import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct RouteTests {
  /// The parts of the builder that `build()` refuses.
  private func refused(_ change: (Session.Builder) -> Session.Builder, by transport: any Transport = Plain())
    -> [String]
  {
    do throws(LupineError) {
      _ = try change(Session.Builder().transport(transport)).build()
      return []
    } catch {
      guard case .configuration(let issues) = error.kind else { return ["\(error.kind)"] }
      return issues.map(\.part)
    }
  }

  @Test func `each option needs a transport that can honour it`() {
    var options = ConnectionOptions()
    options.perHost = 2
    #expect(refused { $0.proxy("http://p:1") } == ["proxy"])
    #expect(refused { $0.unixSocket("/run/s") } == ["unixSocket"])
    #expect(refused { $0.resolve("a.example.com", to: "10.0.0.1") } == ["resolve"])
    #expect(refused { $0.resolver { _ in [] } } == ["resolver"])
    #expect(refused { $0.resolver { _ in [] }.resolver(.system) } == [])
    #expect(refused { $0.localAddress("127.0.0.1") } == ["localAddress"])
    #expect(refused { $0.networkPolicy(.loopbackOnly) } == ["networkPolicy"])
    #expect(refused { $0.httpVersion(.http2) } == ["httpVersion"])
    #expect(refused { $0.httpVersion(.http3) } == ["httpVersion"])
    #expect(refused { $0.connections(options) } == ["connections"])
    #expect(refused { $0.httpVersion(.http1_1) } == [])
  }

  @Test func `settings that cannot work are refused by name`() {
    let can = Plain(capabilities: TransportCapabilities(rawValue: .max))
    #expect(refused({ $0.proxy("ftp://p") }, by: can) == ["proxy"])
    #expect(refused({ $0.proxy("http://p", except: ["a b/c"]) }, by: can) == ["proxy"])
    #expect(refused({ $0.unixSocket("") }, by: can) == ["unixSocket"])
    #expect(refused({ $0.unixSocket(String(repeating: "a", count: 108)) }, by: can) == ["unixSocket"])
    #expect(refused({ $0.unixSocket("/s").proxy("http://p") }, by: can) == ["unixSocket"])
    #expect(refused({ $0.unixSocket("/s").networkPolicy(.loopbackOnly) }, by: can) == ["unixSocket"])
    #expect(refused({ $0.unixSocket("/s").resolver { _ in [] } }, by: can) == ["unixSocket"])
    #expect(refused({ $0.resolver { _ in [] }.proxy("http://p") }, by: can) == [])
    #expect(refused({ $0.resolve("10.0.0.1", to: "10.0.0.2") }, by: can) == ["resolve"])
    #expect(refused({ $0.resolve("a", to: "b") }, by: can) == ["resolve"])
    #expect(refused({ $0.resolve("a") }, by: can) == ["resolve"])
    #expect(refused({ $0.resolve("a", to: "10.0.0.1").proxy("http://p") }, by: can) == ["resolve"])
    #expect(refused({ $0.localAddress("eth0") }, by: can) == ["localAddress"])
    #expect(refused({ $0.networkPolicy(.publicInternetOnly.allowing("ten")) }, by: can) == ["networkPolicy"])
  }

  @Test func `a connection credential for a proxy needs a transport that supports it, and an HTTP proxy`() {
    let forwards = Plain(capabilities: .proxies)
    let can = Plain(capabilities: [.proxies, .connectionAuthentication])
    #expect(refused({ $0.proxy("http://p", proving: .negotiate) }, by: forwards) == ["proxy"])
    #expect(refused({ $0.proxy("http://p", proving: .negotiate) }, by: can) == [])
    #expect(refused({ $0.proxy("socks5://p", proving: .negotiate) }, by: can) == ["proxy"])
    #expect(refused({ $0.proxy("http://p", proving: ConnectionCredential(scheme: .ntlm)) }, by: can) == ["proxy"])
    #expect(refused({ $0.proxy("http://p", proving: .ntlm(username: "a\n", password: "b")) }, by: can) == ["proxy"])
  }

  @Test func `limits and lifetimes that let nothing through are refused`() {
    let can = Plain(capabilities: .connectionOptions)
    let changes: [(inout ConnectionOptions) -> Void] = [
      { $0.perHost = 0 }, { $0.total = -1 }, { $0.idleLifetime = .milliseconds(10) }, { $0.lifetime = .zero },
      { $0.probeInterval = .zero },
    ]
    for change in changes {
      var options = ConnectionOptions()
      change(&options)
      #expect(refused({ $0.connections(options) }, by: can) == ["connections"])
    }
  }

  @Test(arguments: ["inner.example.com", "inner.example.com.", "Inner.Example.com."])
  func `a host's addresses hold with a dot at its end as without`(named: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("here"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).networkPolicy(.loopbackOnly)
      .resolve(named, to: "127.0.0.1").build()
    for url in ["http://inner.example.com/", "http://inner.example.com./"] {
      #expect(await session.request(url).serializingString().response.value == "here")
    }
  }

  @Test func `the mock records the chosen proxy`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .empty)
    let session = try Session.Builder().transport(mock).clock(ImmediateClock())
      .proxy("http://plain:1", except: ["direct.example.com"], for: [.http]).proxy("https://secure:2", for: [.https])
      .build()
    for url in ["http://a.example.com", "https://a.example.com", "http://direct.example.com"] {
      _ = await session.request(url).serializingData().response
    }
    #expect(mock.requests.map { $0.proxy?.address } == ["http://plain:1", "https://secure:2", nil])
  }
}

/// A transport with the given capabilities, which sends nothing.
private struct Plain: Transport {
  var capabilities: TransportCapabilities = []

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    throw LupineError(.other, "It sends nothing.")
  }

  func shutdown() async {}
}
