import Lupine
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// Sessions with a resolver of their own.
///
/// The conformance kit has the cases without a session.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct ResolverTests {
  /// A resolver that answers from a table, and records the names that it is asked for.
  private final class Names: Sendable {
    private struct NoSuchName: Error {}

    private let table: [String: String]
    private let names = Mutex<[String]>([])

    init(_ table: [String: String]) { self.table = table }

    var asked: [String] { names.withLock { $0 } }

    func resolve(_ host: String) throws -> [IPAddress] {
      names.withLock { $0.append(host) }
      guard let address = table[host].flatMap({ IPAddress($0) }) else { throw NoSuchName() }
      return [address]
    }

    func session(
      _ transport: any Transport, _ change: (Session.Builder) -> Session.Builder = { $0 }
    ) throws -> Session {
      try change(Session.Builder().transport(transport).resolver { [self] in try resolve($0) }).build()
    }
  }

  private static func text(_ url: String, _ session: Session) async -> String? {
    await session.request(url).serializingString().response.value
  }

  @Test func `the target of a redirect is resolved like the first host, and the network policy checks it`() async throws
  {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? .respond(status: 302, fields: ["Location": "http://inner.test/secret"]) : .respond(body: .text("secret"))
    }
    let names = Names(["outer.test": "127.0.0.1", "inner.test": "127.0.0.2"])
    let transport = TestTransport.make()
    let policy = NetworkPolicy(otherwise: .deny).allowing("127.0.0.1")
    let session = try names.session(transport) { $0.networkPolicy(policy) }
    let response = await session.request("http://outer.test:\(server.port)/").serializingString().response
    #expect(response.error?.kind == .addressRefused)
    #expect(names.asked == ["outer.test", "inner.test"])
    #expect(server.requests.map(\.target) == ["/"])
    await transport.shutdown()
  }

  @Test func `sessions with different resolvers on one transport share neither answers nor connections`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let (knowing, ignorant) = (Names(["a.test": "127.0.0.1"]), Names([:]))
    let transport = TestTransport.make()
    let url = "http://a.test:\(server.port)/"
    let session = try knowing.session(transport)
    #expect(await Self.text(url, session) == "ok")
    let response = try await ignorant.session(transport).request(url).serializingString().response
    #expect(response.error?.kind == .hostNotFound)
    #expect(response.error?.message.contains("NoSuchName") == true)
    #expect(knowing.asked == ["a.test"] && ignorant.asked == ["a.test"])
    await transport.shutdown()
  }

  @Test func `a session that copies the resolver shares the connections`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let names = Names(["a.test": "127.0.0.1"])
    let resolver = HostResolver { try names.resolve($0) }
    let transport = TestTransport.make()
    for _ in 1...2 {
      let session = try Session.Builder().transport(transport).resolver(resolver).build()
      #expect(await Self.text("http://a.test:\(server.port)/", session) == "ok")
    }
    #expect(names.asked == ["a.test"] && server.connectionCount == 1)
    await transport.shutdown()
  }

  @Test func `behind a proxy that resolves names, the resolver is asked for the proxy's own name`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("forwarded")))
    let names = Names(["proxy.test": "127.0.0.1"])
    let transport = TestTransport.make()
    let session = try names.session(transport) { $0.proxy("http://proxy.test:\(server.port)") }
    #expect(await Self.text("http://a.test/", session) == "forwarded")
    #expect(names.asked == ["proxy.test"])
    await transport.shutdown()
  }

  @Test func `a resolver may send requests over the transport that waits for it`() async throws {
    let server = try ScriptedServer { .respond(body: .text($0.target == "/a.test" ? "127.0.0.1" : "ok")) }
    let transport = TestTransport.make()
    let directory = try Session.Builder().transport(transport).baseURL(server.url).build()
    let session = try Session.Builder().transport(transport)
      .resolver { host in
        let text = try await directory.request(host).serializingString().value
        return [IPAddress(text)].compactMap(\.self)
      }
      .build()
    #expect(await Self.text("http://a.test:\(server.port)/", session) == "ok")
    await transport.shutdown()
  }

  @Test func `a resolver that blocks has a thread of its own`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let (isAsked, mayAnswer) = (Gate(), Gate())
    let resolver = HostResolver.blocking { _ in
      isAsked.open()
      try? mayAnswer.blockUntilOpen()
      return .addresses([IPAddress("127.0.0.1")].compactMap(\.self))
    }
    let transport = TestTransport.make()
    let session = try Session.Builder().transport(transport).resolver(resolver).build()
    async let slow = Self.text("http://slow.test:\(server.port)/", session)
    try await isAsked.opened()
    #expect(await Self.text(server.url, session) == "ok")
    mayAnswer.open()
    #expect(await slow == "ok")
    await transport.shutdown()
  }
}
