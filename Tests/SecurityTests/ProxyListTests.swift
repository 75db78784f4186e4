import Glibc
import HTTPTypes
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@testable import LupineCore
@testable import LupineSession

@Suite struct ProxyListTests {
  private static let list = [
    "Example.COM, .sub.example.org *.wild.example.net", "port.example.org:8080", "10.0.0.0/8", "192.168.1.7",
    "[::1]:443",
    "fd00::/8", "dot.example.com.", "::ffff:172.16.0.0/108",
  ]

  @Test(arguments: [
    ("http://example.com/", true), ("http://EXAMPLE.com/", true), ("http://example.com./", true),
    ("http://a.b.example.com:99/", true), ("http://notexample.com/", false), ("http://example.com.evil.net/", false),
    ("http://sub.example.org/", false), ("http://a.sub.example.org/", true), ("http://wild.example.net/", false),
    ("http://a.wild.example.net./", true), ("http://port.example.org:8080/", true),
    ("http://port.example.org/", false), ("https://port.example.org:8443/", false), ("http://10.1.2.3/", true),
    ("http://11.1.2.3/", false), ("http://[::ffff:10.1.2.3]/", true), ("http://[::ffff:11.1.2.3]/", false),
    ("http://192.168.1.7:81/", true), ("http://192.168.1.70/", false), ("https://[::1]/", true),
    ("http://[::1]/", false),
    ("http://[fd00::5]/", true), ("http://[fe00::5]/", false), ("http://dot.example.com/", true),
    ("http://172.17.0.1/", true), ("http://172.32.0.1/", false), ("http://10.example.net/", false),
  ])
  func `a host is on the list or not, however it is written`(url: String, isDirect: Bool) throws {
    let exceptions = ProxyExceptions(Self.list)
    #expect(exceptions.problems.isEmpty)
    #expect(exceptions.contains(try HTTPURL(url)) == isDirect)
  }

  @Test(arguments: [
    ("192.168.*", "http://192.168.1.7/", true), ("192.168.*", "http://192.169.1.7/", false),
    ("192.168.*.*", "http://192.168.1.7/", true), ("10.*", "http://10.1.2.3/", true),
    ("10.*", "http://10.example.com/", false), ("192.168.1.*", "http://192.168.1.9/", true),
    ("192.168.1.*", "http://192.168.2.9/", false), ("10.*:8080", "http://10.0.0.1:8080/", true),
    ("10.*:8080", "http://10.0.0.1/", false), ("10.*", "http://[::ffff:10.0.0.1]/", true),
    ("10.*.*.*", "http://10.1.2.3/", true),
  ])
  func `a star for the rest of an address is a block`(entry: String, url: String, isDirect: Bool) throws {
    let exceptions = ProxyExceptions([entry])
    #expect(exceptions.problems.isEmpty)
    #expect(exceptions.contains(try HTTPURL(url)) == isDirect)
  }

  @Test(arguments: [
    ("10.0.0.0/8:8080", "http://10.1.2.3:8080/", true), ("10.0.0.0/8:8080", "http://10.1.2.3/", false),
    ("*:8080", "http://a.example.com:8080/", true), ("*:8080", "http://a.example.com/", false),
    ("example.com:80", "http://example.com/", true), ("example.com:80", "https://example.com/", false),
    (".example.com:443", "https://a.example.com/", true), (".example.com:443", "http://a.example.com/", false),
    ("[fd00::1]:80", "http://[fd00::1]/", true), ("[fd00::1]:80", "https://[fd00::1]/", false),
    ("[fd00::1]", "http://[fd00::1]:81/", true), ("fd00::1:80", "http://[fd00::1:80]:81/", true),
  ])
  func `each form of an entry may have a port`(entry: String, url: String, isDirect: Bool) throws {
    let exceptions = ProxyExceptions([entry])
    #expect(exceptions.problems.isEmpty)
    #expect(exceptions.contains(try HTTPURL(url)) == isDirect)
  }

  @Test func `a star is every host`() throws {
    #expect(ProxyExceptions(["*"]).contains(try HTTPURL("https://a.example.com")))
    #expect(!ProxyExceptions([""]).contains(try HTTPURL("https://a.example.com")))
  }

  @Test(arguments: [
    "10.0.0.0/40", "a/b", "http://x", "a@b", "*x", "0x7f.1", "a..b", "*.10.0.0.1", "x:99999", "192.*.1", "300.*",
    "10.*.*", "10.*:0", "10.*.*.*.*", "example.com:", "example.com:+80", "10.0.0.0/8:", ":80", "[::1]:x",
  ])
  func `an entry that does not belong in a list is reported`(entry: String) {
    #expect(ProxyExceptions([entry]).problems.count == 1)
  }

  @Test func `under CGI the field Proxy of a client is not taken for a proxy`() throws {
    let variables = ["HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "http://good:2", "no_proxy": "a.example.com"]
    let plain = try ProxyRules.environment { variables[$0] }
    #expect(plain.http?.host == "evil" && plain.https?.host == "good")
    #expect(plain.proxy(for: try HTTPURL("https://a.example.com")) == nil)
    for sign in ["REQUEST_METHOD", "GATEWAY_INTERFACE"] {
      let cgi = try ProxyRules.environment { $0 == sign ? "x" : variables[$0] }
      #expect(cgi.http == nil && cgi.https?.host == "good")
    }
    let lower = try ProxyRules.environment { ["REQUEST_METHOD": "GET", "http_proxy": "p:3"][$0] }
    #expect(lower.http?.port == 3)
  }

  @Test func `an invalid proxy of the environment is an error without its password`() {
    #expect { try ProxyRules.environment { $0 == "all_proxy" ? "gopher://u:geheim@p" : nil } } throws: { error in
      let text = "\(error)"
      return text.contains("all_proxy") && !text.contains("geheim")
    }
  }

  @Test func `the environment's proxies are not read by default`() async throws {
    setenv("http_proxy", "http://127.0.0.1:9", 1)
    defer { unsetenv("http_proxy") }
    let mock = MockTransport()
    mock.stub(.get, "/", .text("x"))
    for asks in [false, true] {
      let builder = Session.Builder().transport(mock).clock(ImmediateClock())
      let session = try (asks ? builder.environmentProxies() : builder).build()
      _ = await session.request("http://a.example.com/").serializingString().response
    }
    #expect(mock.requests.map { $0.proxy?.port } == [nil, 9])
  }

  // This test runs in a process of its own, because other tests need other variables in the environment.

  @Test(.overEachTransport) func `a transport reads neither the environment's proxies nor its exceptions by default`()
    async throws
  {
    await #expect(processExitsWith: .success) { [isNative = TestTransport.isNative as Bool] in
      let session = { (change: (Session.Builder) -> Session.Builder) in
        try networkSession { change($0.transport(TestTransport.make(isNative: isNative))) }
      }
      let closed = try ClosedPort()
      for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
      for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, closed.url, 1) }
      let server = try ScriptedServer(always: .respond(body: .text("x")))
      #expect(try await session { $0 }.request(server.url).serializingString().value == "x")
      let asking = try session { $0.environmentProxies() }
      #expect(await asking.request(server.url).serializingString().response.error?.kind == .proxyFailed)
      for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
      for name in ["no_proxy", "NO_PROXY"] { setenv(name, "*", 1) }
      let proxied = try session { $0.proxy(closed.url) }
      #expect(await proxied.request(server.url).serializingString().response.error?.kind == .proxyFailed)
    }
  }
}
