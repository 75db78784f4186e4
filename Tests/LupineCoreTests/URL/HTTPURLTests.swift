import FoundationEssentials
import LupineCore
import Testing

@Suite struct HTTPURLTests {
  @Test(arguments: [
    ("http://a", "http://a/"),
    ("HTTPS://Example.COM", "https://example.com/"),
    ("http://a:80/x", "http://a/x"),
    ("https://a:443/x", "https://a/x"),
    ("https://a:80/x", "https://a:80/x"),
    ("http://a:/x", "http://a/x"),
    ("http://a:0080", "http://a/"),
    ("http://a:08080", "http://a:8080/"),
    ("http://a?q", "http://a/?q"),
    ("http://a#f", "http://a/#f"),
    ("http://a.:8080/", "http://a.:8080/"),
    ("http://a_b-c.x1/", "http://a_b-c.x1/"),
    ("http://1.2.3.example/", "http://1.2.3.example/"),
    ("http://127.0.0.1/", "http://127.0.0.1/"),
    ("http://[::1]:8080/", "http://[::1]:8080/"),
    ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
    ("http://[2001:DB8::00A]/", "http://[2001:db8::a]/"),
    ("http://a/b c\"<>^`{|}", "http://a/b%20c%22%3C%3E%5E%60%7B%7C%7D"),
    ("http://a/ü?ü#ü", "http://a/%C3%BC?%C3%BC#%C3%BC"),
    ("http://a/😀", "http://a/%F0%9F%98%80"),
    ("http://a/%aF?", "http://a/%aF?"),
    ("http://a/x?a=b's&c[]=/?", "http://a/x?a=b's&c[]=/?"),
    ("http://a/#x#y\\z", "http://a/#x%23y%5Cz"),
    ("http://a/user@host:1/", "http://a/user@host:1/"),
    ("http://a//b//", "http://a//b//"),
  ])
  func `a URL is brought into its normal form`(input: String, normal: String) throws {
    #expect(try HTTPURL(input).string == normal)
  }

  @Test(arguments: [
    ("/.", "/"), ("/..", "/"), ("/a/.", "/a/"), ("/a/..", "/"), ("/a/./b", "/a/b"), ("/a/../b", "/b"),
    ("/a/b/c/./../../g", "/a/g"), ("/../../g", "/g"), ("/a/%2e%2E/b", "/b"), ("/a/.%2e", "/"), ("/a/%2e/b", "/a/b"),
    ("/a//../b", "/a/b"), ("/.hidden/..x/...", "/.hidden/..x/..."), ("/a/..?x=/../y", "/?x=/../y"),
    ("/%2e%2e%2e", "/%2e%2e%2e"), ("/a/%2f../b", "/a/%2f../b"),
  ])
  func `dot segments are removed from the path alone`(input: String, normal: String) throws {
    #expect(try HTTPURL("http://h" + input).requestTarget == normal)
  }

  @Test func `every part is there`() throws {
    let url = try HTTPURL("https://Example.com:8443/a/b?c=d&e#f")
    #expect(url.scheme == .https)
    #expect(url.hostKind == .name)
    #expect(url.host == "example.com")
    #expect(url.port == 8443)
    #expect(url.effectivePort == 8443)
    #expect(url.authority == "example.com:8443")
    #expect(url.path == "/a/b")
    #expect(url.query == "c=d&e")
    #expect(url.fragment == "f")
    #expect(url.requestTarget == "/a/b?c=d&e")
    #expect(url.description == "https://example.com:8443/a/b?c=d&e#f")
    #expect(url.foundationURL?.absoluteString == url.string)
  }

  @Test func `absent parts are nil and the port is the scheme's`() throws {
    let url = try HTTPURL("https://h")
    #expect(url.port == nil)
    #expect(url.effectivePort == 443)
    #expect(url.path == "/")
    #expect(url.query == nil)
    #expect(url.fragment == nil)
    #expect(url.authority == "h")
  }

  @Test func `an empty query and fragment differ from none`() throws {
    let url = try HTTPURL("http://h/?#")
    #expect(url.query == "")
    #expect(url.fragment == "")
    #expect(url.string == "http://h/?#")
    #expect(try url != HTTPURL("http://h/"))
  }

  @Test(arguments: [
    ("http://[2001:db8:0:0:0:0:0:1]:81/", HTTPURL.HostKind.ipv6, "2001:db8::1", "[2001:db8::1]:81"),
    ("http://10.0.0.255/", .ipv4, "10.0.0.255", "10.0.0.255"),
    ("http://10.0.0.a/", .name, "10.0.0.a", "10.0.0.a"),
    ("http://0xg/", .name, "0xg", "0xg"),
  ])
  func `the kind of the host is known`(input: String, kind: HTTPURL.HostKind, host: String, authority: String) throws {
    let url = try HTTPURL(input)
    #expect(url.hostKind == kind)
    #expect(url.host == host)
    #expect(url.authority == authority)
  }

  @Test func `spelling does not matter for equality`() throws {
    let url = try HTTPURL("HTTP://H:80/a/../b")
    #expect(try url == HTTPURL("http://h/b"))
    #expect(try Set([url, HTTPURL("http://h/b")]).count == 1)
  }

  @Test func `a label of 63 and a name of 253 bytes are allowed`() throws {
    let label = String(repeating: "a", count: 63)
    let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
    #expect(try HTTPURL("http://\(name)./").host == name + ".")
  }
}
