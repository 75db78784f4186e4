import Glibc
import LupineCore
import LupineSession
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ExecutorTests {
  @Test func `a task that prefers the executor runs on the transport's thread, before an exchange and after`()
    async throws
  {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let name = client.transport.threadName
    try await withTaskExecutorPreference(client.transport.loopExecutor) {
      #expect(await Self.thread() == name)
      _ = try await client.fetch(server.url)
      #expect(await Self.thread() == name)
    }
    #expect(await Self.thread() != name)
    await client.transport.shutdown()
  }

  @Test func `many tasks on the executor all get their answers`() async throws {
    let server = try ScriptedServer { .respond(body: .text($0.path)) }
    let client = Client()
    try await withTaskExecutorPreference(client.transport.loopExecutor) {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for task in 0..<32 {
          group.addTask {
            for turn in 0..<8 {
              let path = "/\(task)/\(turn)"
              guard try await client.fetch(server.url + path).text == path else { return false }
            }
            return await Self.thread() == client.transport.threadName
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
    await client.transport.shutdown()
  }

  @Test func `a task that never sleeps does not hold up an exchange`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("answer")))
    let client = Client()
    let isAnswered = Flag()
    let text = try await withTaskExecutorPreference(client.transport.loopExecutor) {
      async let text = client.fetch(server.url).text
      async let restless: Void = {
        while !isAnswered.isSet { await Task.yield() }
      }()
      defer { isAnswered.set() }
      let answer = try await text
      isAnswered.set()
      await restless
      return answer
    }
    #expect(text == "answer")
    await client.transport.shutdown()
  }

  @Test func `a task on the executor shuts its transport down and continues elsewhere`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    try await withTaskExecutorPreference(client.transport.loopExecutor) {
      _ = try await client.fetch(server.url)
      await client.transport.shutdown()
      #expect(await Self.thread() != client.transport.threadName)
      #expect(await client.failure(server.url)?.kind == .sessionShutDown)
    }
  }

  @Test func `the executor of a released transport runs its tasks elsewhere`() async {
    var transport: (any Transport)? = TestTransport.make()
    let executor = transport?.loopExecutor
    let threadName = transport?.threadName
    transport = nil
    let name = await withTaskExecutorPreference(executor) { await Self.thread() }
    #expect(name != threadName)
  }

  @Test func `handlers run on the executor that the session was given`() async throws {
    let server = try ScriptedServer(always: .respond())
    let transport = TestTransport.make()
    let executor = try #require(transport.loopExecutor)
    let session = try Session.Builder().transport(transport).executor(executor).build()
    let name = await withCheckedContinuation { continuation in
      session.request(server.url).response { _ in continuation.resume(returning: Self.currentThread()) }
    }
    #expect(name == transport.threadName)
    await session.shutdown()
    await transport.shutdown()
  }

  @concurrent private static func thread() async -> String { currentThread() }

  private static func currentThread() -> String {
    let file = open("/proc/thread-self/comm", O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count - 1)), as: UTF8.self)
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
