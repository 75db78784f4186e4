import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import Testing

@testable import LupineRedis
@testable import LupineTesting

/// Servers that fail, stall, flood or lie.
@Suite(.timeLimit(.minutes(1))) struct RedisFailureTests {
  static func store(on server: ScriptedServer, clock: TestClock = TestClock()) throws -> RedisStore {
    // A server may have accepted a connection before the client knows it, so both timeouts are the same.
    try RedisStage.store(on: RedisServer(.tcp(host: "127.0.0.1", port: server.port)), clock: clock) {
      $0.connectTimeout = $0.commandTimeout
    }
  }

  /// The error of a call.
  static func failure(_ body: () async throws -> Void) async -> LupineError? {
    do { try await body() } catch { return error as? LupineError }
    return nil
  }

  static let answers: [(String, String)] = [
    ("*0\r\n*0\r\n", "more than one reply"), ("HTTP/1.1 400 Bad Request\r\n\r\n", "unknown type"),
    ("+" + String(repeating: "a", count: 10_000), "endless line"), ("$1\r\nab\r\n", "longer than its length"),
    ("*70000\r\n", "more than 65536 values"), (String(repeating: "*1\r\n", count: 100), "arrays in each other"),
    ("$999999999\r\n", "string of 999999999 bytes"), (String(repeating: "*9\r\n:1\r\n", count: 100_000), "arrays in"),
    ("*1\r\n$8000000\r\n", "string of 8000000 bytes"), (":1\r\n", "another kind of answer"),
    ("*2\r\n:1\r\n:2\r\n", "another kind of answer"), ("*1\r\n$1\r\na\r\n", "another kind of answer"),
    ("$-1\r\n", "another kind of answer"),
  ]

  @Test(arguments: answers) func `an answer that is none is an error`(answer: String, reason: String) async throws {
    let server = try ScriptedServer(greeting: Array(answer.utf8))
    let error = await Self.failure { _ = try await Self.store(on: server).responses(for: "key") }
    #expect(error?.kind == .redisUnavailable)
    #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    try await server.waitForOpenConnections(0)
  }

  @Test func `a server that repeats the password does not bring it into an error`() async throws {
    let server = try ScriptedServer(greeting: Array("-ERR unknown command 'AUTH', with args: 'hunter2'\r\n".utf8))
    let redis = RedisServer(.tcp(host: "127.0.0.1", port: server.port), password: "hunter2")
    let store = try RedisStage.store(on: redis)
    for _ in 1...2 {
      let error = try #require(await Self.failure { _ = try await store.responses(for: "key") })
      var text = ""
      dump(error, to: &text)
      #expect(!"\(error) \(text)".contains("hunter2"))
    }
  }

  @Test func `a server that stalls is left after the timeout, and tried again after growing delays`() async throws {
    let server = try ScriptedServer(greeting: [])
    let clock = TestClock()
    let store = try Self.store(on: server, clock: clock)
    for (number, delay) in [1, 2, 4, 8].enumerated() {
      async let failure = Self.failure { _ = try await store.responses(for: "key") }
      try await server.waitForConnection(count: number + 1)
      clock.advance(by: .seconds(1))
      #expect(await failure?.kind == .redisUnavailable)
      clock.advance(by: .seconds(delay) - .nanoseconds(1))
      // Nobody waits meanwhile, and the reason is known.
      let refusal = await Self.failure { _ = try await store.size() }
      #expect(refusal?.kind == .redisUnavailable)
      #expect((refusal?.underlying as? LupineError)?.message.contains("in time") == true)
      #expect(server.connectionCount == number + 1)
      clock.advance(by: .nanoseconds(1))
    }
    try await server.waitForOpenConnections(0)
  }

  @Test func `commands that wait for a server that stalls end with the first one`() async throws {
    let server = try ScriptedServer(greeting: [])
    let clock = TestClock()
    let store = try Self.store(on: server, clock: clock)
    async let failures = withTaskGroup(of: LupineError?.self) { group in
      for _ in 0..<32 { group.addTask { await Self.failure { _ = try await store.responses(for: "key") } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    try await server.waitForConnection(count: 4)
    // The tasks whose timers are not set yet find that the server has failed.
    clock.advance(by: .seconds(1))
    #expect(await failures.allSatisfy { $0?.kind == .redisUnavailable })
    // A thread may take one more command before the failure is recorded.
    #expect(server.connectionCount <= 8)
  }

  @Test func `a connection that is not accepted ends with its timeout`() async throws {
    let listener = try LoopbackSocket(.ipv4)
    try listener.beginListening(backlog: 0)
    let filler = try AcceptQueueFiller(port: listener.port)
    let clock = AnnouncingClock()
    let store = try RedisStage.store(on: RedisServer(.tcp(host: "127.0.0.1", port: listener.port)), clock: clock)
    async let failure = Self.failure { _ = try await store.responses(for: "key") }
    // The timer of the command, and that of the connection.
    await clock.waitForTimers(2)
    clock.base.advance(by: .milliseconds(500))
    #expect(await failure?.message.contains("did not accept a connection in time") == true)
    withExtendedLifetime(filler) {}
  }

  @Test func `a closed port is an error at once`() async throws {
    let port = try LoopbackSocket(.ipv4).port
    for server in [RedisServer(.tcp(host: "127.0.0.1", port: port)), RedisServer(.unix(path: "/tmp/lupine-no.sock"))] {
      let store = try RedisStage.store(on: server)
      let error = await Self.failure { _ = try await store.acquireLease(for: "key", lifetime: .seconds(1)) }
      #expect(error?.kind == .redisUnavailable)
      #expect(error?.message.contains("cannot be reached") == true)
    }
  }

  @Test func `a cancelled call ends at once, and says nothing about the server`() async throws {
    let server = try ScriptedServer(greeting: [])
    let store = try Self.store(on: server)
    for number in 1...2 {
      let call = Task { await Self.failure { _ = try await store.responses(for: "key") } }
      try await server.waitForConnection(count: number)
      call.cancel()
      #expect(await call.value?.isCancelled == true)
      try await server.waitForOpenConnections(0)
    }
  }

  @Test func `an interruption ends a call that waits`() async throws {
    let listener = try LoopbackSocket(.ipv4)
    try listener.beginListening(backlog: 8)
    let name = SocketName.ip(try #require(IPAddress(bytes: [127, 0, 0, 1])), port: UInt16(listener.port))
    for sends in [true, false] {
      let socket = try RedisSocket(.ipv4)
      try socket.connect(to: name)
      async let failure = BlockingWork.run { () -> RedisSocket.Failure? in
        var buffer = [UInt8](repeating: 0, count: 8)
        // Nobody reads, so so many bytes do not fit into the buffers of the system.
        do throws(RedisSocket.Failure) {
          if sends { try socket.send(Data(count: 64 << 20)) } else { _ = try socket.receive(into: &buffer) }
        } catch { return error }
        return nil
      }
      socket.interrupt()
      #expect(await failure == .interrupted)
    }
  }
}

/// Real servers that refuse, or that stop and start again.
@Suite(.enabled(if: RedisStage.isAvailable), .timeLimit(.minutes(1))) struct RedisOutageTests {
  @Test func `a wrong password is an error, and the next try waits`() async throws {
    var server = try RedisStage.peer()
    server.username = "ali"
    server.password = "sesame, close"
    let clock = TestClock()
    let store = try RedisStage.store(on: server, clock: clock)
    let error = await RedisFailureTests.failure { _ = try await store.responses(for: "key") }
    #expect(error?.kind == .redisRefused)
    #expect(error?.message.contains("refused the command AUTH; check the user and the password") == true)
    #expect(error?.message.contains("close") == false)
    #expect(await RedisFailureTests.failure { _ = try await store.size() }?.kind == .redisUnavailable)
    clock.advance(by: .seconds(1))
    #expect(await RedisFailureTests.failure { _ = try await store.size() }?.kind == .redisRefused)
  }

  @Test func `a database that the server does not have is an error`() async throws {
    var server = try RedisStage.peer()
    server.database = 10_000
    let store = try RedisStage.store(on: server)
    let error = await RedisFailureTests.failure { _ = try await store.responses(for: "key") }
    #expect(error?.message.contains("refused the command SELECT: ERR") == true)
  }

  @Test func `an error of one command leaves the connection and the server in use`() async throws {
    let store = try RedisStage.store()
    let error = await RedisFailureTests.failure { _ = try await store.number(RedisCommand("INCR", "a", "b")) }
    #expect(error?.kind == .redisRefused)
    #expect(error?.message.contains("wrong number of arguments") == true)
    #expect(try await store.responses(for: "other").isEmpty)
    try await store.removeAll(for: "other")
  }

  @Test func `a server that stops is missing, and used again when it has started`() async throws {
    let process = try RedisProcess()
    let clock = TestClock()
    let store = try RedisStage.store(on: process.server, clock: clock)
    try await store.add(RedisStage.record("key"), "text")
    await process.stop()
    let first = await RedisFailureTests.failure { _ = try await store.responses(for: "key") }
    #expect(first?.kind == .redisUnavailable)
    #expect(first?.message.contains("cannot be reached") == true, "\(String(describing: first))")
    try process.start()
    #expect(await RedisFailureTests.failure { _ = try await store.responses(for: "key") }?.kind == .redisUnavailable)
    clock.advance(by: .seconds(1))
    // The idle connection from before is dead, and is not used.
    #expect(try await store.responses(for: "key").isEmpty)
    let stored = try await store.add(RedisStage.record("key"), "again")
    await process.stop()
    try process.start()
    #expect(try await store.responses(for: "key").isEmpty)
    #expect(try await store.text(of: stored) == nil)
  }

  @Test func `a server without memory refuses a response, and still answers`() async throws {
    let process = try RedisProcess()
    let store = try RedisStage.store(on: process.server)
    try await store.raw("CONFIG", "SET", "maxmemory", "1")
    let error = await RedisFailureTests.failure { try await store.add(RedisStage.record("key"), "text") }
    #expect(error?.kind == .redisRefused)
    #expect(error?.message.contains("OOM") == true)
    try await store.raw("CONFIG", "SET", "maxmemory", "0")
    try await store.add(RedisStage.record("key"), "text")
    #expect(try await store.responses(for: "key").count == 1)
  }
}
