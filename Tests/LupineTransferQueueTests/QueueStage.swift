import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Synchronization

@testable import LupineTransferQueue

/// A folder, a mock and a session for the queues of one test.
final class QueueStage: Sendable {
  let folder: TemporaryFolder
  let mock = MockTransport()

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("files"), withIntermediateDirectories: false)
  }

  var queueFolder: String { folder.file("queue") }
  var database: String { queueFolder + "/transfers.sqlite" }

  func file(_ name: String) -> String { folder.file("files/\(name)") }
  func content(_ name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.file("files"))) ?? []).sorted() }

  func session(_ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    try change(Session.Builder().transport(mock).clock(ImmediateClock())).build()
  }

  /// Opens a queue.
  func queue(
    _ session: Session? = nil, clock: (any Clock<Duration>)? = ImmediateClock(), patience: Duration = .seconds(5),
    _ change: (inout TransferQueue.Configuration) -> Void = { _ in }
  ) throws -> TransferQueue {
    let made = try session ?? self.session()
    return try TransferQueue(
      at: queueFolder, session: made, configuration: TransferQueue.Configuration(change), clock: clock, random: nil,
      patience: patience)
  }

  func download(_ name: String) -> QueuedTransfer {
    .download("https://example.com/\(name)", to: .file(file(name)))
  }

  /// Fills a queue that runs nothing, and closes it.
  func fill(_ count: Int) async throws -> [TransferID] {
    let queue = try queue { $0.network = FakeNetwork(.unavailable) }
    let ids = try await queue.add((0..<count).map { download("\($0)") })
    await queue.close()
    return ids
  }

  /// The text of the error that the closure throws; empty if it throws none.
  static func message(_ work: () async throws -> Void) async -> String {
    do {
      try await work()
      return ""
    } catch {
      return "\(error)"
    }
  }

  func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }
}

extension TransferQueue {
  /// The next events, each acknowledged.
  func next(_ count: Int) async throws -> [TransferEvent] {
    var found: [TransferEvent] = []
    for await event in events {
      found.append(event)
      try await acknowledge(event)
      if found.count == count { break }
    }
    return found
  }

  /// The next event, not acknowledged.
  func peek() async -> TransferEvent? {
    for await event in events { return event }
    return nil
  }
}

extension TransferEvent {
  var isFinished: Bool { if case .finished = kind { true } else { false } }
  var failure: TransferFailure? { if case .failed(let failure) = kind { failure } else { nil } }
}

extension Data {
  static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }) }
}

/// A clock that counts the timers and the sleeps.
final class CountingClock: TimerClock {
  let base = TestClock()
  private let count = Atomic<Int>(0)

  var calls: Int { count.load(ordering: .relaxed) }
  var now: VirtualInstant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    count.add(1, ordering: .relaxed)
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    count.add(1, ordering: .relaxed)
    return base.schedule(at: deadline, action)
  }
}
