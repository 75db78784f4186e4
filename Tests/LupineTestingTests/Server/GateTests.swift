import LupineMock
import LupineTesting
import Synchronization
import Testing

@Suite struct GateTests {
  @Test func `a script waits for a gate and opens another`() async throws {
    let (sent, go) = (Gate(), Gate())
    let server = try ScriptedServer { _ in
      [.head(status: 200, fields: ["Content-Length": "1"]), .signal(sent), .wait(go), .body([120])]
    }
    let client = try RawClient(port: server.port)
    try client.send(get())
    try await sent.opened()
    #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
    go.open()
    #expect(try client.read(count: 1) == "x")
  }

  @Test func `an open gate delays no task`() async throws {
    let gate = Gate()
    #expect(!gate.isOpen)
    gate.open()
    gate.open()
    #expect(gate.isOpen)
    try await gate.opened()
    try gate.blockUntilOpen()
  }

  @Test func `opening wakes everyone`() async throws {
    let gate = Gate()
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { try await gate.opened() } }
      gate.open()
      try await group.waitForAll()
    }
  }

  @Test func `a simulation wakes those who wait in the same order every time`() async throws {
    let first = try await Self.orderOfWaking()
    for _ in 0..<5 { #expect(try await Self.orderOfWaking() == first) }
  }

  private final class Woken: Sendable {
    let numbers = Mutex<[Int]>([])
  }

  private static func orderOfWaking() async throws -> [Int] {
    try await withSimulation(seed: 3) { world in
      let gate = Gate()
      let woken = Woken()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            try await gate.opened()
            woken.numbers.withLock { $0.append(number) }
          }
        }
        try await world.sleep(for: .seconds(1))
        gate.open()
        try await group.waitForAll()
      }
      return woken.numbers.withLock { $0 }
    }
  }

  @Test func `a cancelled task stops waiting`() async {
    let gate = Gate()
    let task = Task { try await gate.opened() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a script stops waiting when the client has gone`() async throws {
    let server = try ScriptedServer { _ in [.wait(Gate())] }
    do {
      let client = try RawClient(port: server.port)
      try client.send(get())
      try await server.waitForRequest()
    }
    try await server.waitForOpenConnections(0)
  }
}
