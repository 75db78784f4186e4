import HTTPTypes
import LupineCore
import LupineSession
import LupineCurl
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@Suite(.overEachTransport) struct PoolTests {
  private func session(
    _ transport: any Transport, _ options: ConnectionOptions = ConnectionOptions(), _ waits: Waits = Waits(.max)
  ) throws -> Session { try Session.Builder().transport(transport).connections(options).monitor(waits).build() }

  @Test func `a snapshot counts open, idle and waiting exchanges and connections`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { request in
      request.path == "/held" ? ScriptedReply.respond(body: .text("x")).preceded(by: .wait(gate)) : .respond()
    }
    let client = Client()
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    _ = try await client.fetch(server.url)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 1, idle: 1))
    var options = ConnectionOptions()
    options.perHost = 1
    let waits = Waits(2)
    let session = try session(client.transport, options, waits)
    let requests = (1...3).map { _ in session.request(server.url + "/held").responseData { _ in } }
    try await waits.gate.opened()
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 1, waiting: 2))
    gate.open()
    for request in requests { #expect(await request.serializingData().response.error == nil) }
    #expect(await session.connectionPool() == ConnectionPoolSnapshot(open: 1, idle: 1))
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
  }

  @Test func `a connection that is not kept alive is closed after its exchange`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let transport = TestTransport.make()
    var options = ConnectionOptions()
    options.isKeptAlive = false
    let once = try session(transport, options)
    for _ in 1...3 { #expect(await once.request(server.url).serializingData().response.error == nil) }
    #expect(server.connectionCount == 3)
    try await server.waitForOpenConnections(0)
    #expect(await transport.connectionPool()?.open == 0)
    let kept = try session(transport)
    for _ in 1...2 { #expect(await kept.request(server.url).serializingData().response.error == nil) }
    #expect(server.connectionCount == 4)
    await transport.shutdown()
  }

  @Test(.timeLimit(.minutes(1))) func `connections that have been idle for their lifetime are closed`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    var configuration = CurlTransport.Configuration()
    configuration.network.idleConnectionLifetime = .seconds(1)
    let transport = TestTransport.make(configuration)
    for policy in 1...3 as ClosedRange<UInt64> {
      let context = TransferContext(
        id: RequestID(1), connectionKey: ConnectionKey(trustPolicy: policy), sink: { _ in .collect(limit: 100) })
      let response = try await transport.send(OutgoingRequest(url: HTTPURL(server.url)), in: context)
      _ = try await response.body.end()
    }
    #expect(server.openConnectionCount == 3)
    // No further request starts: the transport closes the connections on its own timer.
    try await server.waitForOpenConnections(0)
    #expect(await transport.connectionPool() == ConnectionPoolSnapshot())
    let session = try session(transport)
    #expect(await session.request(server.url).serializingData().response.error == nil)
    await transport.shutdown()
  }

  @Test func `exchanges of a higher priority go first`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { request in
      request.path == "/first" ? ScriptedReply.respond().preceded(by: .wait(gate)) : .respond(body: .text("x"))
    }
    var options = ConnectionOptions()
    options.total = 1
    let transport = TestTransport.make()
    let waits = Waits(3)
    let session = try session(transport, options, waits)
    let first = session.request(server.url + "/first").responseData { _ in }
    try await server.waitForRequest()
    var waiting: [DataRequest] = []
    for (path, priority) in [("/low", OutgoingRequest.Priority.low), ("/normal", .normal), ("/high", .high)] {
      var request = try OutgoingRequest(server.url + path)
      request.options.priority = priority
      waiting.append(session.request(request).responseData { _ in })
    }
    try await waits.gate.opened()
    gate.open()
    for request in [first] + waiting { _ = await request.serializingData().response }
    #expect(server.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
    await transport.shutdown()
  }
}

/// Opens its gate when `count` exchanges have entered the queue.
private final class Waits: EventMonitor {
  let gate = Gate()
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  func receive(_ event: SessionEvent) {
    guard case .queued = event.kind else { return }
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { gate.open() }
  }
}
