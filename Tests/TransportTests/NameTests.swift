import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@testable import LupineCurl
@testable import LupineNative

/// Connections to names that a resolver of the test looks up.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct NameTests {
  /// A resolver that responds from a table when its gate is open.
  private final class Names: Sendable {
    let mayAnswer = Gate()
    private let table: [String: [String]]
    private let names = Mutex<[String]>([])

    init(_ table: [String: [String]], isOpen: Bool = true) {
      self.table = table
      if isOpen { mayAnswer.open() }
    }

    var asked: [String] { names.withLock { $0 } }

    func client(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> Client {
      var configuration = CurlTransport.Configuration()
      change(&configuration)
      let resolver = HostResolver.blocking(resolve)
      guard TestTransport.isNative else { return Client(CurlTransport(configuration, resolver: resolver)) }
      var native = NativeTransport.Configuration()
      native.network.nameLookups = configuration.network.nameLookups
      return Client(NativeTransport(native, resolver: resolver))
    }

    private func resolve(_ name: String) -> HostResolver.Answer {
      names.withLock { $0.append(name) }
      try? mayAnswer.blockUntilOpen()
      return table[name].map { .addresses($0.compactMap { IPAddress($0) }) } ?? .failure("no such name")
    }
  }

  private static func server() throws -> ScriptedServer { try ScriptedServer(always: .respond(body: .text("x"))) }

  @Test func `a name is looked up once, and remembered for further connections`() async throws {
    let server = try Self.server()
    let names = Names(["a.example": ["127.0.0.1"], "b.example.": ["127.0.0.1"]])
    let client = names.client()
    for host in ["a.example", "A.Example", "b.example.", "a.example", "b.example."] {
      let log = EventLog()
      let response = try await client.fetch("http://\(host):\(server.port)/", log: log)
      #expect(response.text == "x")
      if log.reused == [false] {
        let metrics = response.end.metrics
        let (lookup, connect) = (try #require(metrics.nameLookup), try #require(metrics.connect))
        #expect(lookup > .zero && lookup <= connect)
      }
    }
    #expect(names.asked == ["a.example", "b.example."])
    await client.transport.shutdown()
  }

  @Test func `addresses and names of this machine are not looked up`() async throws {
    let server = try Self.server()
    let names = Names([:])
    let client = names.client()
    for host in ["127.0.0.1", "localhost", "a.localhost", "localhost.", "a.localhost.", "LocalHost."] {
      #expect(try await client.fetch("http://\(host):\(server.port)/").text == "x")
    }
    #expect(names.asked.isEmpty)
    await client.transport.shutdown()
  }

  @Test func `if one address refuses, the next address of the name is tried`() async throws {
    let server = try Self.server()
    let names = Names(["a.example": ["::1", "127.0.0.2", "127.0.0.1"]])
    let client = names.client()
    #expect(try await client.fetch("http://a.example:\(server.port)/").text == "x")
    await client.transport.shutdown()
  }

  @Test func `a name without an address is an error, and the next request asks again`() async throws {
    let names = Names([:])
    let client = names.client()
    for _ in 1...2 {
      let error = await client.failure("http://a.example/")
      #expect(error?.kind == .hostNotFound)
      #expect(error?.message.contains("no such name") == true)
    }
    #expect(names.asked.count == 2)
    await client.transport.shutdown()
  }

  @Test func `exchanges wait if the limit of name lookups is reached, and an event has the reason`() async throws {
    let server = try Self.server()
    let hosts = (1...6).map { "\($0).example" }
    let names = Names(Dictionary(uniqueKeysWithValues: hosts.map { ($0, ["127.0.0.1"]) }), isOpen: false)
    let client = names.client { $0.network.nameLookups = 2 }
    let left = Mutex(4)
    let areQueued = Gate()
    let log = EventLog { event in
      guard case .queued(let reason) = event else { return }
      #expect(reason.contains("names"))
      let isLast = left.withLock { left in
        left -= 1
        return left == 0
      }
      if isLast { areQueued.open() }
    }
    try await withThrowingTaskGroup(of: String.self) { group in
      for host in hosts { group.addTask { try await client.fetch("http://\(host):\(server.port)/", log: log).text } }
      try await areQueued.opened()
      #expect(await client.transport.connectionPool()?.waiting == 4)
      names.mayAnswer.open()
      for try await text in group { #expect(text == "x") }
    }
    #expect(await client.transport.connectionPool()?.waiting == 0)
    await client.transport.shutdown()
  }

  @Test func `a name lookup without an answer ends with the connect timeout`() async throws {
    let names = Names([:], isOpen: false)
    var client = names.client()
    client.connectTimeout = .milliseconds(50)
    let error = await client.failure("http://a.example/")
    #expect(error?.kind == .timedOut(.connect))
    names.mayAnswer.open()
    await client.transport.shutdown()
  }

  @Test func `an exchange whose name is being looked up can be cancelled, and its transport shut down`() async throws {
    let names = Names([:], isOpen: false)
    let client = names.client()
    for isCancelled in [true, false] {
      let control = ExchangeControl()
      let request = try OutgoingRequest(url: HTTPURL("http://a.example/"))
      let exchange = Task { try await client.transport.send(request, in: client.context(control: control)) }
      _ = await client.transport.connectionPool()
      if isCancelled { control.cancel(LupineError(.cancelled, "Enough.")) } else { await client.transport.shutdown() }
      let error = await #expect(throws: LupineError.self) { try await exchange.value }
      #expect(isCancelled ? error?.kind == .cancelled : error?.kind == .sessionShutDown)
    }
    names.mayAnswer.open()
  }

  @Test func `a proxy's name is looked up like a server's`() async throws {
    let server = try Self.server()
    let names = Names(["proxy.example": ["127.0.0.1"]])
    let client = names.client()
    for (host, isFound) in [("proxy.example", true), ("other.example", false)] {
      var connectionKey = ConnectionKey()
      connectionKey.proxy = try Proxy("http://\(host):\(server.port)")
      let context = TransferContext(
        id: RequestID(1), connectTimeout: .seconds(10), connectionKey: connectionKey,
        sink: { _ in .collect(limit: 100) })
      let request = try OutgoingRequest(url: HTTPURL("http://a.example/"))
      do throws(LupineError) {
        let response = try await client.transport.send(request, in: context)
        #expect(try await response.body.end().data.count == 1)
        #expect(isFound)
      } catch {
        #expect(error.kind == .proxyFailed)
        #expect(!isFound)
      }
    }
    #expect(names.asked == ["proxy.example", "other.example"])
    await client.transport.shutdown()
  }

  @Test func `a local address does not keep a name from being looked up`() async throws {
    let server = try Self.server()
    let names = Names(["a.example": ["127.0.0.1"]])
    let client = names.client()
    var connectionKey = ConnectionKey()
    connectionKey.localAddress = IPAddress("127.0.0.1")
    let context = TransferContext(
      id: RequestID(1), connectTimeout: .seconds(10), connectionKey: connectionKey, sink: { _ in .collect(limit: 100) })
    let request = try OutgoingRequest(url: HTTPURL("http://a.example:\(server.port)/"))
    let response = try await client.transport.send(request, in: context)
    #expect(try await response.body.end().data.count == 1)
    #expect(names.asked == ["a.example"])
    await client.transport.shutdown()
  }
}
