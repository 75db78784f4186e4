import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import Synchronization
import Testing

@testable import LupineSQLite

/// Stores whose locks another process holds.
///
/// With an `ImmediateClock`, a call gives up a lock at once instead of after a second.
@Suite(.timeLimit(.minutes(1))) struct LockTests {
  enum Lock: CaseIterable, Sendable {
    /// The lock of the folder.
    case folder
    /// A transaction that writes to the database.
    case database
  }

  /// Another program, or another connection, that has a lock until it is released.
  final class Holder {
    private let program = Process()
    private var connection: Connection?

    /// - Parameter isStopped: whether the program that has the lock of the folder is stopped. Default: false.
    init(_ lock: Lock, _ stage: StoreFolderStage, isStopped: Bool = false) throws {
      guard lock == .folder else {
        connection = try Connection(stage.database)
        try connection?.execute("BEGIN IMMEDIATE")
        return
      }
      let (input, output) = (Pipe(), Pipe())
      program.executableURL = URL(filePath: "/usr/bin/flock")
      program.arguments = [stage.path + "/lock", "/bin/sh", "-c", "echo locked; read line"]
      program.standardInput = input
      program.standardOutput = output
      try program.run()
      // The program has the lock now.
      #expect(output.fileHandleForReading.availableData.count > 0)
      if isStopped { kill(program.processIdentifier, SIGSTOP) }
    }

    func release() {
      connection = nil
      guard program.isRunning else { return }
      kill(program.processIdentifier, SIGCONT)
      (program.standardInput as? Pipe)?.fileHandleForWriting.closeFile()
      program.waitUntilExit()
    }
  }

  private let stage: StoreFolderStage
  private let content = StoreFolderStage.content(1, count: 50_000)

  init() throws { stage = try StoreFolderStage() }

  private func makeStore() -> SQLiteStore {
    SQLiteStore(at: stage.path, maximumSize: .megabytes(8), clock: ImmediateClock())
  }

  private func isLocked(_ work: () async throws -> Void) async -> Bool {
    do {
      try await work()
      return false
    } catch {
      return (error as? LupineError)?.isStoreLocked ?? false
    }
  }

  @Test(arguments: Lock.allCases, [false, true])
  func `a store whose lock another program has cannot be opened, and can once the lock is free`(
    lock: Lock, isStopped: Bool
  ) async throws {
    let before = makeStore()
    try await before.add("key", content)
    await before.close()
    let holder = try Holder(lock, stage, isStopped: isStopped)
    let store = makeStore()
    #expect(await isLocked { _ = try await store.responses(for: "key") })
    #expect(await isLocked { try await store.add("other", content) })
    #expect(await isLocked { try await store.removeAll(for: "key") })
    #expect(await isLocked { _ = try await store.size() })
    holder.release()
    #expect(try await store.bytes("key") == content)
    #expect(try await store.add("other", content) != nil)
    await store.close()
  }

  @Test(arguments: Lock.allCases) func `an open store answers while another program has its lock`(lock: Lock)
    async throws
  {
    let store = makeStore()
    let stored = try #require(try await store.add("key", content))
    let small = StoreFolderStage.content(2, count: 100)
    try await store.add("small", small)
    let holder = try Holder(lock, stage)
    #expect(try await store.bytes("key") == content)
    #expect(try await store.bytes("small") == small)
    #expect(try await store.responses(for: "missing").isEmpty)
    #expect(try await store.size() > 0)
    // Only a program that opens the database needs the lock of the folder.
    let isLocked = lock == .database
    #expect(await self.isLocked { try await store.add("key", small) } == isLocked)
    #expect(await self.isLocked { _ = try await store.update(stored, to: stored.record) } == isLocked)
    #expect(await self.isLocked { try await store.remove(stored) } == isLocked)
    #expect(await self.isLocked { try await store.removeAll { _ in true } } == isLocked)
    holder.release()
    #expect(try await store.bytes("key") == (isLocked ? content : nil))
    #expect(try await store.add("key", small) != nil)
    #expect(try await store.bytes("key") == small)
    await store.close()
  }

  @Test func `a call waits for a lock, and goes on when it is free`() async throws {
    let clock = TestClock()
    let store = SQLiteStore(at: stage.path, maximumSize: .megabytes(8), clock: clock)
    try await store.add("key", content)
    let holder = try Holder(.database, stage)
    let removal = Task { try await store.removeAll(for: "key") }
    await clock.waitForSleepers()
    // A call that needs no lock does not wait for the one that does.
    #expect(try await store.bytes("key") == content)
    holder.release()
    clock.advance(by: .milliseconds(1))
    try await removal.value
    #expect(try await store.responses(for: "key").isEmpty)
    await store.close()
  }

  @Test func `a call that waits for a lock ends with its task`() async throws {
    let clock = TestClock()
    let store = SQLiteStore(at: stage.path, maximumSize: .megabytes(8), clock: clock)
    try await store.add("key", content)
    let holder = try Holder(.database, stage)
    let removal = Task { try await store.removeAll(for: "key") }
    await clock.waitForSleepers()
    removal.cancel()
    let error = await #expect(throws: LupineError.self) { try await removal.value }
    #expect(error?.kind == .cancelled)
    holder.release()
    await store.close()
  }

  @Test func `calls wait a second in all, and later ones not at all until the lock is free`() async throws {
    let clock = TestClock()
    let store = SQLiteStore(at: stage.path, maximumSize: .megabytes(8), clock: clock)
    try await store.add("key", content)
    let holder = try Holder(.database, stage)
    let removal = Task { try await store.removeAll(for: "key") }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await #expect(throws: LupineError.self) { try await removal.value }
    #expect(await isLocked { try await store.removeAll(for: "key") })
    holder.release()
    try await store.removeAll(for: "key")
    await store.close()
  }

  @Test func `no wait for a lock ends after the second, although the time advances meanwhile`()
    async throws
  {
    let clock = HastyClock()
    let store = SQLiteStore(at: stage.path, maximumSize: .megabytes(8), clock: clock)
    try await store.add("key", content)
    let holder = try Holder(.database, stage)
    let end = clock.time + .seconds(1)
    #expect(await isLocked { try await store.removeAll(for: "key") })
    #expect(!clock.deadlines.isEmpty && clock.deadlines.allSatisfy { $0 <= end })
    holder.release()
    await store.close()
  }

  @Test func `the secret is read without the lock, and a missing one needs it`() async throws {
    let secret = try makeStore().hashKey()
    let holder = try Holder(.folder, stage, isStopped: true)
    #expect(try makeStore().hashKey() == secret)
    try FileManager.default.removeItem(atPath: stage.path + "/secret")
    let error = #expect(throws: LupineError.self) { try makeStore().hashKey() }
    #expect(error?.isStoreLocked == true)
    holder.release()
    #expect(try makeStore().hashKey()?.count == 32)
  }
}

/// A clock whose time advances by 300 milliseconds at each reading, and whose sleeps end at once.
private final class HastyClock: Clock {
  private let state = Mutex((time: Duration.zero, deadlines: [Duration]()))

  var time: Duration { state.withLock { $0.time } }
  /// The ends of the sleeps.
  var deadlines: [Duration] { state.withLock { $0.deadlines } }

  var now: VirtualInstant {
    state.withLock { state in
      defer { state.time += .milliseconds(300) }
      return VirtualInstant(offset: state.time)
    }
  }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    state.withLock { $0.deadlines.append(deadline.offset) }
  }
}
