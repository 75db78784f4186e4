import Dispatch
import Glibc
import LupineCore
import LupineNative
import LupineSession
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// A transport with several loops; the first servers that a transport is used for have a loop each.
@Suite(.timeLimit(.minutes(1))) struct SeveralLoopsTests {
  private let gate = Gate()

  /// A server that holds the response for `/held` until the gate is open.
  private func server(_ onRequest: @escaping @Sendable (String) -> Void = { _ in }) throws -> ScriptedServer {
    try ScriptedServer { [gate] request in
      onRequest(request.path)
      let reply = ScriptedReply.respond(body: .text("x"))
      return request.path == "/held" ? reply.preceded(by: .wait(gate)) : reply
    }
  }

  /// An event log, and a gate that opens when an exchange has to wait.
  private func waitLog() -> (EventLog, Gate) {
    let gate = Gate()
    return (EventLog { if case .queued = $0 { gate.open() } }, gate)
  }

  @Test func `the limit in total holds for all loops, and the highest priority goes first`() async throws {
    let order = Mutex<[String]>([])
    let servers = try (1...3).map { _ in try server { path in order.withLock { $0.append(path) } } }
    var network = NetworkSettings()
    network.connections = 1
    let client = Client.native(loops: 3, network)
    async let held = client.fetch(servers[0].url + "/held")
    _ = try await servers[0].waitForRequest()
    let (lowLog, lowWaits) = waitLog()
    async let low = client.fetch(servers[1].url + "/low", log: lowLog) { $0.options.priority = .low }
    try await lowWaits.opened()
    let (highLog, highWaits) = waitLog()
    async let high = client.fetch(servers[2].url + "/high", log: highLog) { $0.options.priority = .high }
    try await highWaits.opened()
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 1, waiting: 2))
    gate.open()
    #expect(try await [held.text, low.text, high.text] == ["x", "x", "x"])
    #expect(order.withLock { $0 } == ["/held", "/high", "/low"])
    await client.transport.shutdown()
  }

  @Test func `the limit for a host holds for connection keys whose exchanges are on different loops`() async throws {
    let server = try server()
    var network = NetworkSettings()
    network.connectionsPerHost = 1
    var clients = [Client.native(loops: 2, network)]
    clients.append(clients[0])
    for index in clients.indices { clients[index].connectionKey = ConnectionKey(trustPolicy: UInt64(index + 1)) }
    let (first, second) = (clients[0], clients[1])
    async let held = first.fetch(server.url + "/held")
    _ = try await server.waitForRequest()
    let (log, waits) = waitLog()
    async let waiting = second.fetch(server.url, log: log)
    try await waits.opened()
    #expect(server.requests.count == 1)
    gate.open()
    #expect(try await [held.text, waiting.text] == ["x", "x"])
    await first.transport.shutdown()
  }

  @Test func `a waiting exchange that is cancelled takes no place`() async throws {
    let servers = try (1...3).map { _ in try server() }
    var network = NetworkSettings()
    network.connections = 1
    let client = Client.native(loops: 3, network)
    async let held = client.fetch(servers[0].url + "/held")
    _ = try await servers[0].waitForRequest()
    let (log, waits) = waitLog()
    let control = ExchangeControl()
    async let failure = client.failure(servers[1].url, control: control, log: log)
    try await waits.opened()
    control.cancel(LupineError(.cancelled, "Enough."))
    #expect(await failure?.message == "Enough.")
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot(open: 1))
    gate.open()
    _ = try await held
    #expect(try await client.fetch(servers[2].url).text == "x")
    #expect(servers[1].requests.isEmpty)
    await client.transport.shutdown()
  }

  @Test func `a loop that is held up delays no exchange of another loop`() async throws {
    let servers = try (1...2).map { _ in try server() }
    let client = Client.native(loops: 2)
    let isHeld = Gate()
    let end = DispatchSemaphore(value: 0)
    // The loop's own thread calls the closure.
    let log = EventLog { event in
      guard case .connected = event else { return }
      isHeld.open()
      end.wait()
    }
    async let first = client.fetch(servers[0].url, log: log)
    try await isHeld.opened()
    let second = try? await client.fetch(servers[1].url).text
    end.signal()
    #expect(second == "x")
    #expect(try await first.text == "x")
    await client.transport.shutdown()
  }

  @Test func `a shutdown ends the exchanges of all loops`() async throws {
    let servers = try (1...3).map { _ in try server() }
    let client = Client.native(loops: 3)
    try await withThrowingTaskGroup(of: LupineError?.self) { group in
      for server in servers { group.addTask { await client.failure(server.url + "/held") } }
      for server in servers { _ = try await server.waitForRequest() }
      await client.transport.shutdown()
      for try await error in group { #expect(error?.kind == .sessionShutDown) }
    }
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    for server in servers { try await server.waitForOpenConnections(0) }
    #expect(await client.failure(servers[0].url)?.kind == .sessionShutDown)
    gate.open()
  }

  @Test func `a released transport closes the connections of all loops`() async throws {
    let servers = try (1...3).map { _ in try server() }
    var client: Client? = Client.native(loops: 3)
    for server in servers { _ = try await client?.fetch(server.url) }
    client = nil
    for server in servers { try await server.waitForOpenConnections(0) }
  }

  @Test func `tasks on the executor begin on the loops in turn, and stay on their threads`() async throws {
    let servers = try (1...2).map { _ in try server() }
    let client = Client.native(loops: 2)
    let executor = client.transport.loopExecutor
    var loops: [String] = []
    for _ in 1...4 {
      loops.append(await withTaskExecutorPreference(executor) { await Self.thread() })
      let outside = await Self.thread()
      #expect(!loops.contains(outside))
    }
    #expect(loops[0] != loops[1])
    #expect(loops[...1] == loops[2...])
    try await withTaskExecutorPreference(executor) {
      try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 1...8 {
          group.addTask {
            var threads: [String] = []
            for server in servers + servers {
              _ = try await client.fetch(server.url)
              threads.append(await Self.thread())
            }
            return threads
          }
        }
        for try await threads in group { #expect(threads.allSatisfy(loops.contains)) }
      }
    }
    await client.transport.shutdown()
  }

  /// Returns the number of the thread on which the task runs, as the kernel knows it.
  @concurrent private static func thread() async -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test func `exchanges with one server share a connection`() async throws {
    let server = try server()
    let client = Client.native(loops: 3)
    for number in 1...6 { _ = try await client.fetch(server.url + "/\(number)") }
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test(arguments: [0, -1, 1_025])
  func `a session is not built with a number of loops that is out of range`(loops: Int) throws {
    let transport = Client.native(loops: loops).transport
    let error = #expect(throws: LupineError.self) { try Session.Builder().transport(transport).build() }
    guard case .configuration(let issues) = error?.kind else { throw try #require(error) }
    #expect(issues.map(\.part) == ["transport"])
    #expect(issues.first?.reason.contains("\(loops) loops") == true)
  }

  @Test func `a transport whose number of loops is out of range works without a session`() async throws {
    let server = try server()
    let client = Client.native(loops: 0)
    #expect(try await client.fetch(server.url).text == "x")
    await client.transport.shutdown()
  }
}
