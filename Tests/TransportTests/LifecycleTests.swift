import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineCurl
import LupineNative
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct LifecycleTests {
  @Test func `the shutdown ends running exchanges, before the head or in the body`() async throws {
    let server = try ScriptedServer { $0.path == "/head" ? .stallBeforeHead : .stall(afterBytes: 2) }
    let client = Client()
    async let failure = client.failure(server.url + "/head")
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url + "/body")), in: client.context())
    try await server.waitForRequest(count: 2)
    await client.transport.shutdown()
    #expect(await failure?.kind == .sessionShutDown)
    let error = await #expect(throws: LupineError.self) { try await response.body.end() }
    #expect(error?.kind == .sessionShutDown)
    try await server.waitForOpenConnections(0)
  }

  @Test func `shutting down ends what waits in the queue`() async throws {
    let server = try ScriptedServer(always: .stallBeforeHead)
    var configuration = CurlTransport.Configuration()
    configuration.network.connections = 1
    let client = Client(configuration)
    let queued = Gate()
    let log = EventLog { if case .queued = $0 { queued.open() } }
    try await withThrowingTaskGroup(of: LupineError.Kind?.self) { group in
      for _ in 1...2 {
        group.addTask {
          do {
            _ = try await client.fetch(server.url, log: log)
            return nil
          } catch { return (error as? LupineError)?.kind }
        }
      }
      try await queued.opened()
      await client.transport.shutdown()
      for try await kind in group { #expect(kind == .sessionShutDown) }
    }
  }

  @Test func `shutting down twice, and before any request, does no harm`() async throws {
    let client = Client()
    await client.transport.shutdown()
    await client.transport.shutdown()
    #expect(await client.failure("http://127.0.0.1:1/")?.kind == .sessionShutDown)
  }

  @Test func `concurrent shutdowns all return`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    _ = try await client.fetch(server.url)
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...8 { group.addTask { await client.transport.shutdown() } }
    }
    #expect(await client.failure(server.url)?.kind == .sessionShutDown)
  }

  @Test func `a released transport finishes its last exchange and closes its connections`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(
      always: [.head(status: 200, fields: ["Content-Length": "2"]), .body([65]), .wait(gate), .body([66])])
    var client: Client? = Client()
    let response = try await client?.transport.send(
      OutgoingRequest(url: HTTPURL(server.url)), in: client?.context() ?? Client().context())
    client = nil
    gate.open()
    #expect(try await response?.body.end().data == Data("AB".utf8))
    try await server.waitForOpenConnections(0)
  }

  @Test func `the factories make a new transport each time`() {
    let transports: [CurlTransport] = [.curl, .curl(CurlTransport.Configuration())]
    #expect(transports[0] !== transports[1])
    let natives: [NativeTransport] = [.native, .native(NativeTransport.Configuration())]
    #expect(natives[0] !== natives[1])
  }
}
