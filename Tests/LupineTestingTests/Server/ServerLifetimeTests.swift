import FoundationEssentials
import Glibc
import LupineTesting
import Testing

@Suite struct ServerLifetimeTests {
  /// The number of sockets of this process that are bound to a port.
  private func descriptors(port: Int) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter { descriptor in
      var name = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      }
      return code == 0 && name.sin_family == AF_INET && Int(UInt16(bigEndian: name.sin_port)) == port
    }.count
  }

  /// The number of threads of this process that serve a port.
  private func threads(port: Int) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter {
      let name = try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
      return name == "lupine-\(port)\n"
    }.count
  }

  @Test func `stopping leaves no thread and no descriptor`() async throws {
    let server = try ScriptedServer { request in
      request.path == "/stall" ? .stall(afterBytes: 0) : request.path == "/wait" ? [.wait(Gate())] : .endlessBody
    }
    let port = server.port
    let paths = ["/stall", "/wait", "/endless", "/stall", "/wait"]
    let clients = try paths.map { _ in try RawClient(port: port) }
    let idle = try RawClient(port: port)
    for (path, client) in zip(paths, clients) { try client.send(get(path)) }
    try await server.waitForRequest(count: 5)
    try await server.waitForConnection(count: 6)
    #expect(try threads(port: port) >= 6)
    #expect(try descriptors(port: port) == 7)
    server.stop()
    #expect(try descriptors(port: port) == 0)
    // The kernel may list a joined thread for a short time.
    var rounds = 0
    while try threads(port: port) > 0, rounds < 100_000 {
      rounds += 1
      await Task.yield()
    }
    #expect(try threads(port: port) == 0)
    #expect(server.openConnectionCount == 0)
    #expect(try idle.read() == "")
    #expect(throws: RawClient.Failure.refused) { try RawClient(port: port) }
  }

  @Test func `the release of a server stops it`() throws {
    var server: ScriptedServer? = try ScriptedServer(always: .stallBeforeHead)
    let port = try #require(server?.port)
    let client = try RawClient(port: port)
    server = nil
    #expect(throws: RawClient.Failure.refused) { try RawClient(port: port) }
    _ = client
  }

  @Test func `a hundred short connections leave only the listening descriptor`() async throws {
    let server = try ScriptedServer(always: .respond(fields: ["Connection": "close"]))
    for _ in 0..<100 {
      let client = try RawClient(port: server.port)
      try client.send(get())
      #expect(try client.read().hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
    try await server.waitForOpenConnections(0)
    #expect(server.connectionCount == 100)
    #expect(try descriptors(port: server.port) == 1)
  }

  @Test func `a wait for a request ends with an error if the server stops`() async throws {
    let server = try ScriptedServer(always: .respond())
    let waiting = Task { try await server.waitForRequest(count: 1) }
    server.stop()
    await #expect(throws: ScriptedServer.Stopped.self) { try await waiting.value }
  }

  @Test func `who waits can be cancelled`() async throws {
    let server = try ScriptedServer(always: .respond())
    let waiting = Task { try await server.waitForRequest(count: 1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
