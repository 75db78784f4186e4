import HTTPTypes
import LupineCore
import LupineFixtures
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Heads whose first field line begins with white space, after an ordinary response.
///
/// libcurl before 8.1 appends such a line to the last field of the handle's previous transfer, whose memory it has
/// freed.
@Suite(.overEachTransport, .timeLimit(.minutes(2))) struct FoldedHeadTests {
  private static let end = "Content-Length: 0\r\n\r\n"
  private static let ordinary = "HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 100))\r\n\(end)"

  /// The beginnings of responses; the first field line of each begins with white space.
  static let folded = [
    "HTTP/1.1 200 OK\r\n x: y\r\n", "HTTP/1.1 200 OK\r\n\tx: y\r\n", "HTTP/1.1 200 OK\r\n :\r\n",
    "HTTP/1.1 200 OK\r\n  x: \(String(repeating: "y", count: 17_000))\r\n",
    "HTTP/1.1 302 Found\r\n Location: /next\r\n", "HTTP/1.1 401 Unauthorized\r\n WWW-Authenticate: NTLM\r\n",
    "HTTP/1.1 407 No\r\n Proxy-Authenticate: NTLM\r\n", "HTTP/1.0 200 OK\r\n x: y\r\n", "HTTP/1.1 200 OK\n x: y\n",
    "HTTP/1.1 103 Early Hints\r\n x: y\r\n\r\nHTTP/1.1 200 OK\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n x: y\r\n",
    "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\n x: y\r\n\r\nHTTP/1.1 200 OK\r\n",
  ]

  @Test(arguments: folded)
  func `a folded first line after an ordinary response is an error, a hundred times`(start: String) async throws {
    let server = try ScriptedServer { .verbatim($0.path == "/folded" ? start + Self.end : Self.ordinary) }
    defer { server.stop() }
    try await expectErrors(100, Client(), ordinary: server.url, folded: server.url + "/folded")
  }

  @Test(arguments: folded)
  func `a folded first line that arrives byte by byte is an error`(start: String) async throws {
    let server = try ScriptedServer { request in
      guard request.path == "/folded" else { return .verbatim(Self.ordinary) }
      return [.drip(Array((start.prefix(200) + "\r\n" + Self.end).utf8))]
    }
    defer { server.stop() }
    try await expectErrors(3, Client(), ordinary: server.url, folded: server.url + "/folded")
  }

  @Test(arguments: folded)
  func `a folded first line in two pieces, cut anywhere, is an error`(start: String) async throws {
    let bytes = Array((start.prefix(90) + "\r\n" + Self.end).utf8)
    for place in 1..<bytes.count {
      let sent = Gate()
      let server = try ScriptedServer { request in
        guard request.path == "/folded" else { return .verbatim(Self.ordinary) }
        return [.raw(Array(bytes[..<place])), .signal(sent), .raw(Array(bytes[place...]))]
      }
      defer { server.stop() }
      try await expectErrors(1, Client(), ordinary: server.url, folded: server.url + "/folded")
    }
  }

  @Test(arguments: folded)
  func `a folded first line after a response of another host is an error`(start: String) async throws {
    let first = try ScriptedServer { _ in .verbatim(Self.ordinary) }
    let second = try ScriptedServer { _ in .verbatim(start + Self.end) }
    defer {
      first.stop()
      second.stop()
    }
    try await expectErrors(20, Client(), ordinary: first.url, folded: second.url)
  }

  @Test(arguments: folded)
  func `a folded first line over TLS is an error`(start: String) async throws {
    let server = try TLSPeer { path, _ in
      let bytes = Array((path == "/folded" ? start + Self.end : Self.ordinary).utf8)
      return TLSPeer.Reply(records: [Array(bytes.prefix(10_000)), Array(bytes.dropFirst(10_000))])
    }
    defer { server.stop() }
    try await expectErrors(20, .trusting(), ordinary: server.url, folded: server.url + "/folded")
  }

  @Test(arguments: folded)
  func `a folded first line of a forwarding proxy is an error`(start: String) async throws {
    let proxy = try ScriptedServer { .verbatim($0.target.hasSuffix("/folded") ? start + Self.end : Self.ordinary) }
    defer { proxy.stop() }
    var client = Client()
    client.connectionKey.proxy = try Proxy(proxy.url)
    try await expectErrors(20, client, ordinary: "http://origin.example/", folded: "http://origin.example/folded")
  }

  /// The first request is forwarded; the request through the tunnel uses its handle again.
  @Test(arguments: folded)
  func `a folded first line of a proxy's response to CONNECT is an error`(start: String) async throws {
    let proxy = try ScriptedServer { .verbatim($0.method == .connect ? start + "\r\n" : Self.ordinary) }
    defer { proxy.stop() }
    var client = Client.trusting()
    client.connectionKey.proxy = try Proxy(proxy.url)
    for _ in 0..<20 {
      _ = try await client.fetch("http://origin.example/")
      let error = await client.failure("https://origin.example/")
      #expect(error != nil)
    }
    await client.transport.shutdown()
  }

  @Test func `a head without a field passes, and its body is not read as a head`() async throws {
    let server = try ScriptedServer { request in
      switch request.path {
      case "/body": Self.untilClose("HTTP/1.1 200 OK\r\n\r\n x: y\r\nHTTP/1.1 200 OK\r\n")
      case "/hints": .verbatim("HTTP/1.1 103 A\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n x: y")
      case "/challenge": Self.untilClose("HTTP/1.1 401 No\r\n\r\n x: y")
      default: .verbatim(Self.ordinary)
      }
    }
    defer { server.stop() }
    let client = Client()
    for _ in 0..<3 {
      _ = try await client.fetch(server.url)
      #expect(try await client.fetch(server.url + "/body").text == " x: y\r\nHTTP/1.1 200 OK\r\n")
      _ = try await client.fetch(server.url)
      #expect(try await client.fetch(server.url + "/hints").text == " x: y")
      #expect(try await client.fetch(server.url + "/challenge").text == " x: y")
    }
    await client.transport.shutdown()
  }

  private static func untilClose(_ text: String) -> ScriptedReply {
    ScriptedReply([.raw(text: text)], connection: .close)
  }

  private func expectErrors(_ count: Int, _ client: Client, ordinary: String, folded: String) async throws {
    for _ in 0..<count {
      #expect(try await client.fetch(ordinary).status == 200)
      #expect(await client.failure(folded)?.kind == .malformedResponse)
    }
    await client.transport.shutdown()
  }
}
