import Foundation
import Glibc
import LupineCore
import LupineMock
import LupineResumableUpload
import LupineSQLiteConnection
import LupineSession
import LupineTransferQueue
import LupineTransfers
import Synchronization

/// The calls of a program with a queue, and the check of what they leave.
struct QueueScript {
  let folder: String

  var queue: String { folder + "/queue" }
  var files: String { folder + "/files" }

  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  func empty() {
    for path in [queue, files] { try? FileManager.default.removeItem(atPath: path) }
    try? FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
  }

  func session(_ peer: QueuePeer = QueuePeer()) throws -> Session {
    try Session.Builder().transport(peer.transport()).clock(ImmediateClock()).build()
  }

  var configuration: TransferQueue.Configuration {
    TransferQueue.Configuration { configuration in
      configuration.limit = 6
      configuration.limitPerHost = 6
      configuration.retries = (5, .zero)
      configuration.resumption = TransferQueue.UploadResumption { upload, name, store in
        upload.resumable().checkpoint(name, in: store).resumesAutomatically(delay: .zero)
      } discard: { session, name, store in
        try await session.discardUpload(checkpoint: name, in: store)
      }
    }
  }

  func open(_ peer: QueuePeer = QueuePeer(), clock: (any Clock<Duration>)? = nil) throws -> TransferQueue {
    try TransferQueue(at: queue, session: session(peer), configuration: configuration, clock: clock)
  }

  func transfer(_ number: Int) throws -> QueuedTransfer {
    var transfer = QueuedTransfer.download(
      "\(QueuePeer.base)/d/\(number)", to: .file("\(files)/\(number)", .createIntermediateDirectories))
    transfer.data = try JSONEncoder().encode(number)
    return transfer
  }

  /// Checks that each file is there with its bytes, and nothing else.
  func check(_ numbers: some Sequence<Int>) {
    var names = Set((try? FileManager.default.contentsOfDirectory(atPath: files)) ?? [])
    for number in numbers {
      names.remove("\(number)")
      if FileManager.default.contents(atPath: "\(files)/\(number)") != QueuePeer.content(number) {
        Self.say("wrong: the bytes of \(number)")
      }
    }
    for name in names { Self.say("wrong: there is \(name)") }
  }

  /// Runs transfers to their ends; those that fail or stay paused are resumed.
  ///
  /// - Throws: the failure of a transfer that fails again and again.
  func finish(
    _ queue: TransferQueue, _ added: some Sequence<TransferID>, mayBeCancelled: Set<TransferID> = []
  ) async throws {
    var left = Set(added)
    var (tries, failures) = (0, 0)
    while !left.isEmpty, tries < 50 {
      tries += 1
      for id in left { try? await queue.resume(id) }
      for await event in queue.events {
        switch event.kind {
        case .finished: left.remove(event.transfer)
        case .cancelled where mayBeCancelled.contains(event.transfer): left.remove(event.transfer)
        case .failed(let failure):
          failures += 1
          guard failures < 50 else { throw failure }
          try? await queue.resume(event.transfer)
        case .cancelled, .needsCredential: Self.say("wrong: \(event)")
        }
        // The call that fails may be the first one.
        if (try? await queue.acknowledge(event)) == nil { try await queue.acknowledge(event) }
        if left.isEmpty { break }
      }
    }
    if !left.isEmpty { Self.say("wrong: \(left) have not ended") }
  }

  /// Adds transfers until the disk is full, and runs them once it has room again.
  func fill() async throws {
    empty()
    let queue = try open(clock: QuickClock())
    var added: [TransferID] = []
    for number in 0..<4 { added.append(try await queue.add(transfer(number))) }
    let filler = folder + "/filler"
    let file = Glibc.open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4_096)
    while write(file, bytes, bytes.count) == bytes.count {}
    close(file)
    var large = try transfer(9)
    large.data = Data(repeating: 65, count: 60_000)
    var refused = 0
    for _ in 0..<20 {
      do { try await queue.add(large) } catch { refused += 1 }
      if refused > 0 { break }
    }
    if refused == 0 { Self.say("wrong: the disk is not full") }
    unlink(filler)
    try await finish(queue, added)
    await queue.close()
    for number in 0..<4 where FileManager.default.contents(atPath: "\(files)/\(number)") != QueuePeer.content(number) {
      Self.say("wrong: the bytes of \(number)")
    }
  }

  /// Runs the queue until the input ends.
  func hold() async throws {
    let queue = try open()
    guard try await queue.isRunner else { return Self.say("wrong: another process runs the queue") }
    Self.say("runner")
    while readLine() != nil {}
    await queue.close()
  }

  /// Holds the lock of the database until the input ends.
  func lock() throws {
    let connection = try Connection(queue + "/transfers.sqlite")
    try connection.execute("BEGIN IMMEDIATE")
    Self.say("locked")
    while readLine() != nil {}
    extendLifetime(connection)
  }

  /// Adds transfers beside the process that runs them.
  func add(count: Int) async throws {
    let queue = try open()
    if try await queue.isRunner { Self.say("wrong: this process runs the queue") }
    let ids = try await queue.add((0..<count).map { try transfer($0) })
    for id in ids { Self.say("\(id)") }
    await queue.close()
  }

  /// Adds transfers while there is no network, and prints the number of flushes of each addition.
  func countFlushes(_ count: () -> Int32) async throws {
    let session = try Session.Builder().transport(MockTransport()).build()
    let queue = try TransferQueue(
      at: queue, session: session, configuration: TransferQueue.Configuration { $0.network = NoNetwork() })
    try await queue.add(transfer(0))
    for number in 1...5 {
      let before = count()
      try await queue.add(transfer(number))
      Self.say("\(count() - before)")
    }
    let before = count()
    try await queue.add((10..<30).map { try transfer($0) })
    Self.say("\(count() - before)")
    await queue.close()
  }

  /// Opens the queue, and prints the error.
  func printError() async {
    do { _ = try await open().transfers } catch { Self.say("\(error)") }
  }
}

/// There is no network, so that nothing starts.
private struct NoNetwork: NetworkConditionsSource {
  var conditions: NetworkConditions { NetworkConditions(.unavailable) }
  func conditionUpdates() -> AsyncStream<NetworkConditions> { AsyncStream { $0.yield(conditions) } }
}

/// A clock whose sleeps end at once, also those of timers; its time moves on to their ends.
final class QuickClock: Clock {
  private let time = Mutex(Duration.zero)

  var now: VirtualInstant { VirtualInstant(offset: time.withLock { $0 }) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline.offset) }
    await Task.yield()
  }
}
