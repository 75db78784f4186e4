import HTTPTypes
import LupineCore
import LupineSession
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@testable import LupineNative

@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
  @Test func `a connection that is not made in time is an error, and its descriptor is closed`() async throws {
    let port = try SilentPort(completesHandshake: false)
    var client = Client.native()
    client.connectTimeout = .milliseconds(80)
    #expect(await client.failure(port.url)?.kind == .timedOut(.connect))
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test func `an exchange cancelled while it connects closes its socket`() async throws {
    let port = try SilentPort(completesHandshake: false)
    let client = Client.native()
    let control = ExchangeControl()
    async let failure = client.failure(port.url, control: control)
    while await client.transport.connectionPool()?.open == 0 { await Task.yield() }
    control.cancel(LupineError(.cancelled, "The test has changed its mind."))
    #expect(await failure?.kind == .cancelled)
    #expect(await client.transport.connectionPool()?.open == 0)
    await client.transport.shutdown()
  }

  /// The first address accepts no connection and refuses none, so that the second attempt begins beside the first.
  @Test func `an address that does not answer is overtaken by the next one`() async throws {
    let silent = try SilentPort(completesHandshake: false)
    let listener = try Listener("127.0.0.2", port: silent.port)
    let client = Client(try Self.transport("127.0.0.1", "127.0.0.2"))
    let control = ExchangeControl()
    let log = EventLog { event in
      if case .connected = event { control.cancel(LupineError(.cancelled, "The test has seen enough.")) }
    }
    #expect(await client.failure("http://two.example:\(silent.port)/", control: control, log: log)?.kind == .cancelled)
    #expect(log.addresses == ["127.0.0.2:\(silent.port)"])
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    withExtendedLifetime(listener) {}
    await client.transport.shutdown()
  }

  @Test func `the error of several addresses is that of the first one`() async throws {
    let port = try ClosedPort()
    let client = Client(try Self.transport("127.0.0.1", "127.0.0.2"))
    #expect(await client.failure("http://two.example:\(port.port)/")?.kind == .connectionRefused)
    await client.transport.shutdown()
  }

  @Test func `the families of addresses alternate`() throws {
    let texts = ["::1", "::2", "::3", "127.0.0.1", "127.0.0.2"]
    let order = Dial.interleaved(texts.compactMap { IPAddress($0) }).map(\.description)
    #expect(order == ["::1", "127.0.0.1", "::2", "127.0.0.2", "::3"])
    #expect(Dial.interleaved([]).isEmpty)
  }

  @Test func `a literal IPv6 address needs no lookup`() async throws {
    let server = try ScriptedServer(.ipv6) { _ in .respond(body: .text("six")) }
    let client = Client.native()
    let log = EventLog()
    #expect(try await client.fetch(server.url, log: log).text == "six")
    #expect(log.addresses == ["[::1]:\(server.port)"])
    await client.transport.shutdown()
  }

  @Test func `a session's own addresses, local address and Unix-domain socket are used`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("here")))
    let session = try Session.Builder().transport(.native).resolve("server.example.com", to: "127.0.0.1")
      .localAddress("127.0.0.3").build()
    #expect(try await session.request("http://server.example.com:\(server.port)/").serializingString().value == "here")
    await session.shutdown()
    let path = "/tmp/lupine-native-\(server.port).sock"
    let local = try ScriptedServer(.unix(path: path)) { _ in .respond(body: .text("local")) }
    let other = try Session.Builder().transport(.native).unixSocket(path).build()
    #expect(try await other.request(local.url).serializingString().value == "local")
    await other.shutdown()
  }

  @Test func `a Unix-domain socket without a server is an error that names the socket`() async throws {
    var client = Client.native()
    client.connectionKey.unixSocket = "/tmp/lupine-native-nowhere.sock"
    let error = await client.failure("http://localhost/")
    #expect(error?.kind == .connectionFailed)
    #expect(error?.message.contains("/tmp/lupine-native-nowhere.sock") == true)
    await client.transport.shutdown()
  }

  @Test(arguments: ["127.0.0.1", "two.example"])
  func `an address that the network policy refuses is not connected to`(host: String) async throws {
    let server = try ScriptedServer(always: .respond())
    var client = Client(try Self.transport("127.0.0.1"))
    client.connectionKey.networkPolicy = .publicInternetOnly
    #expect(await client.failure("http://\(host):\(server.port)/")?.kind == .addressRefused)
    #expect(server.connectionCount == 0)
    await client.transport.shutdown()
  }

  @Test func `of several addresses those that the network policy allows are connected to`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    var client = Client(try Self.transport("127.0.0.2", "127.0.0.1"))
    client.connectionKey.networkPolicy = NetworkPolicy.loopbackOnly.denying("127.0.0.2")
    #expect(try await client.fetch("http://two.example:\(server.port)/").text == "ok")
    await client.transport.shutdown()
  }

  private static func transport(_ texts: String...) throws -> NativeTransport {
    let addresses = texts.compactMap { IPAddress($0) }
    return NativeTransport(resolver: HostResolver.blocking { _ in .addresses(addresses) })
  }
}
