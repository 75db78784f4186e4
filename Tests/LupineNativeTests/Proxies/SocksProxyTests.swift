import LupineCore
import LupineTesting
import Testing
import TransportSupport

@testable import LupineNative

/// Requests through SOCKS proxies that follow a script.
@Suite(.timeLimit(.minutes(1))) struct SocksProxyTests {
  private func client(
    _ peer: SocksPeer, scheme: String = "socks5h", user: String = "", resolver: HostResolver = .system
  ) throws -> Client {
    var client = Client(NativeTransport(resolver: resolver))
    client.connectionKey.proxy = try Proxy("\(scheme)://\(user)\(peer.address)")
    return client
  }

  private static func resolver(_ addresses: String...) -> HostResolver {
    HostResolver.blocking { _ in .addresses(addresses.compactMap { IPAddress($0) }) }
  }

  @Test(arguments: [false, true])
  func `the proxy receives the name and the request, and its connection is kept`(drips: Bool) async throws {
    let peer = try SocksPeer(SocksPeer.Script(drips: drips))
    let (client, log) = (try client(peer), EventLog())
    for _ in 1...2 { #expect(try await client.fetch("http://a.example.com/b?c", log: log).text == "ok") }
    let heads = [[5, 1, 0], [5, 1, 0, 3, 13] + Array("a.example.com".utf8) + [0, 80]]
    #expect(peer.messages.prefix(2) == heads[...])
    let requests = peer.messages.dropFirst(2).map { String(decoding: $0, as: UTF8.self) }
    #expect(requests.allSatisfy { $0.hasPrefix("GET /b?c HTTP/1.1\r\nHost: a.example.com\r\n") })
    #expect(log.reused == [false, true] && log.addresses == [peer.address, peer.address])
    #expect(log.lookups.isEmpty)
    peer.stop()
    await client.transport.shutdown()
  }

  @Test func `the proxy receives the name and password, which two users do not share`() async throws {
    let peer = try SocksPeer(SocksPeer.Script(method: [5, 2], credential: [1, 0]))
    let first = try client(peer, user: "ali:x@")
    var second = first
    second.connectionKey.proxy = try Proxy("socks5h://eve:x@\(peer.address)")
    for client in [first, second, first, second] {
      #expect(try await client.fetch("http://a.example.com/").text == "ok")
    }
    #expect(peer.connectionCount == 2)
    #expect(peer.messages[1] == [1, 3] + Array("ali".utf8) + [1, 0x78])
    peer.stop()
    await first.transport.shutdown()
  }

  @Test func `an address of the URL is sent as an address, and the network policy applies to it`() async throws {
    let peer = try SocksPeer()
    var client = try client(peer)
    #expect(try await client.fetch("http://[::1]:81/").text == "ok")
    #expect(peer.messages[1].prefix(4) == [5, 1, 0, 4])
    client.connectionKey.networkPolicy = .publicInternetOnly
    #expect(await client.failure("http://[::1]:81/")?.kind == .addressRefused)
    #expect(peer.connectionCount == 1)
    peer.stop()
    await client.transport.shutdown()
  }

  @Test func `a session that resolves names itself sends addresses, each in turn`() async throws {
    var script = SocksPeer.Script()
    script.reply = { $0 < 2 ? [5, 5, 0, 1, 0, 0, 0, 0, 0, 0] : SocksPeer.success }
    let peer = try SocksPeer(script)
    let resolver = Self.resolver("192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4")
    let (client, log) = (try client(peer, scheme: "socks5", resolver: resolver), EventLog())
    #expect(try await client.fetch("http://a.example.com/", log: log).text == "ok")
    let targets = peer.messages.filter { $0.starts(with: [5, 1, 0, 1]) }.map { $0[7] }
    #expect(targets == [1, 2, 3] && log.lookups == ["a.example.com"])
    peer.stop()
    await client.transport.shutdown()
  }

  @Test func `the proxy receives only addresses that the network policy allows, and its own is not checked`()
    async throws
  {
    var script = SocksPeer.Script()
    script.reply = { _ in [5, 5] }
    let peer = try SocksPeer(script)
    var client = try client(peer, scheme: "socks5", resolver: Self.resolver("10.0.0.1", "192.0.2.2", "192.0.2.3"))
    client.connectionKey.networkPolicy = NetworkPolicy(otherwise: .deny).allowing("192.0.2.0/24")
    let error = await client.failure("http://a.example.com/")
    #expect(error?.kind == .proxyFailed && error?.message.contains("192.0.2.3") == true)
    #expect(peer.connectionCount == 2)
    client.connectionKey.networkPolicy = .loopbackOnly
    #expect(await client.failure("http://a.example.com/")?.kind == .addressRefused)
    #expect(peer.connectionCount == 2)
    peer.stop()
    await client.transport.shutdown()
  }

  @Test func `a refusal that is not about the server ends the request`() async throws {
    let peer = try SocksPeer(SocksPeer.Script(method: [5, 2], credential: [1, 9]))
    let client = try client(
      peer, scheme: "socks5", user: "ali:geheim@", resolver: Self.resolver("192.0.2.1", "192.0.2.2"))
    let error = await client.failure("http://a.example.com/")
    #expect(error?.kind == .proxyFailed && error?.message.contains("does not accept the name and password") == true)
    #expect(error?.message.contains("geheim") == false && error?.isUnprocessed == false)
    #expect(peer.connectionCount == 1)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    peer.stop()
    await client.transport.shutdown()
  }

  @Test func `a proxy that ends the connection, after every byte, is an error`() async throws {
    for count in 0..<14 {
      let peer = try SocksPeer(SocksPeer.Script(method: [5, 2], credential: [1, 0], ending: count))
      let client = try client(peer, user: "ali:x@")
      let error = await client.failure("http://a.example.com/")
      #expect(error?.kind == .proxyFailed, "after \(count) bytes")
      #expect(error?.message.contains("The proxy socks5h://\(peer.address) ended the connection") == true)
      peer.stop()
      await client.transport.shutdown()
    }
  }

  @Test func `a proxy that is not there or never answers is an error that names it`() async throws {
    let closed = try ClosedPort()
    var client = Client.native()
    client.connectionKey.proxy = try Proxy(closed.url.replacing("http", with: "socks5h"))
    let refused = await client.failure("http://a.example.com/")
    #expect(refused?.kind == .proxyFailed && refused?.message.contains("The proxy socks5h://127.0.0.1") == true)
    let silent = try SilentPort()
    client.connectionKey.proxy = try Proxy("socks5h://127.0.0.1:\(silent.port)")
    client.connectTimeout = .milliseconds(80)
    #expect(await client.failure("http://a.example.com/")?.kind == .timedOut(.connect))
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test func `the name of a proxy that has no address is an error that names the proxy`() async throws {
    var client = Client(NativeTransport(resolver: HostResolver.blocking { _ in .failure("no such name") }))
    client.connectionKey.proxy = try Proxy("socks5h://proxy.example.com")
    let error = await client.failure("http://a.example.com/")
    #expect(error?.kind == .proxyFailed && error?.message.contains("socks5h://proxy.example.com") == true)
    client.connectionKey.proxy = try Proxy("socks5://proxy.example.com")
    #expect(await client.failure("http://a.example.com/")?.kind == .hostNotFound)
    await client.transport.shutdown()
  }
}
