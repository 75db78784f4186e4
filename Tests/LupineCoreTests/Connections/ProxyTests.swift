import LupineCore
import Testing

@Suite struct ProxyTests {
  @Test(arguments: [
    ("proxy.example.com", "http://proxy.example.com:80"),
    ("http://Proxy.example.com:3128/", "http://proxy.example.com:3128"),
    ("https://p", "https://p:443"), ("https://p:80", "https://p:80"), ("socks5://[::1]", "socks5://[::1]:1080"),
    ("socks5h://10.0.0.1:9050", "socks5h://10.0.0.1:9050"), ("socks://127.0.0.1:1080/", "socks5h://127.0.0.1:1080"),
    ("SOCKS://proxy.example.com", "socks5h://proxy.example.com:1080"),
    ("http://u:p@[2001:DB8::1]:8080", "http://[2001:db8::1]:8080"),
  ])
  func `a proxy is read, and shown without its credential`(text: String, address: String) throws {
    let proxy = try Proxy(text)
    #expect(proxy.address == address)
    #expect("\(proxy)" == address && String(reflecting: proxy) == address)
  }

  @Test func `name and password are percent-decoded, and no text shows them`() throws {
    let proxy = try Proxy("http://al%69:s%3Acr%40et@p:1")
    #expect(proxy.credential == Credential(username: "ali", password: "s:cr@et"))
    var text = "\(proxy)" + String(reflecting: proxy)
    dump(proxy, to: &text)
    #expect(!text.contains("s:cr@et") && !text.contains("s%3Acr"))
    #expect(proxy.credential(username: "b", password: "c").credential == Credential(username: "b", password: "c"))
  }

  @Test func `a connection credential replaces the credential, and no text shows it`() throws {
    let proxy = try Proxy("http://ali:x@p:1").connectionCredential(.ntlm(username: "L\\ali", password: "geheim"))
    #expect(proxy.credential == nil && proxy.connectionCredential?.scheme == .ntlm)
    var text = "\(proxy)" + String(reflecting: proxy)
    dump(proxy, to: &text)
    #expect(!text.contains("geheim"))
    #expect(proxy.credential(username: "a", password: "b").connectionCredential == nil)
  }

  @Test(arguments: [
    "", "ftp://p", "http://", "http://p:99999", "http://p/path", "http://p?q", "http://p q", "http://a%0Ab@p",
    "http://a%3Ab:c@p", "http://%zz@p", "socks5://:@p", "http://p\\q", "://p",
  ])
  func `an invalid proxy is refused without quoting it`(text: String) {
    #expect { try Proxy(text) } throws: { error in
      guard let error = error as? LupineError, error.kind == .invalidURL else { return false }
      return text.utf8.count < 8 || !error.message.contains(text)
    }
  }
}
