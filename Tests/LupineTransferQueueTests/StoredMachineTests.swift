import Foundation
import LupineCore
import LupineMock
import LupineSQLiteConnection
import LupineSession
import Testing

@testable import LupineTransferQueue

/// The machine and the database, which change together or not at all.
@Suite(.timeLimit(.minutes(1))) struct StoredMachineTests {
  private static let one = TransferID(1)

  private let stage: QueueStage
  private let settings: QueueSettings

  init() throws {
    stage = try QueueStage()
    settings = TransferQueue.Configuration().settings(
      folder: stage.queueFolder, session: try stage.session(),
      clock: SessionClock(ImmediateClock(), executor: nil), random: { 7 }, executor: nil, patience: .seconds(5))
  }

  private func opened() throws -> StoredMachine {
    var stored = StoredMachine(settings)
    let (queue, isNewRunner) = try stored.open()
    #expect(isNewRunner)
    stored.use(queue)
    return stored
  }

  private static func add(_ stored: inout StoredMachine, _ row: TransferRow) throws -> [QueueMachine.Action] {
    try stored.change { (opened) throws(SQLiteFailure) in
      _ = try opened.database.insert(row)
      return [try opened.additions()]
    }
  }

  private static let row = TransferRow(
    record: TransferRecord(
      method: "GET", url: "https://example.com/a", headers: [], content: .file("/a"), asksForURL: false, token: "1"),
    data: Data())

  @Test func `an input changes the machine and the database in one transaction`() throws {
    var stored = try opened()
    #expect(try Self.add(&stored, Self.row) == [.store(Self.one, .running), .start(Self.one)])
    #expect(stored.machine.items[Self.one]?.state == .running)
    #expect(try stored.opened?.database.row(Self.one)?.state == .running)
    #expect(stored.transactions == 1)
  }

  @Test func `a transaction that fails changes neither the machine nor the database`() throws {
    var stored = try opened()
    _ = try Self.add(&stored, Self.row)
    // The input is handled, and then an action cannot be stored.
    let error = #expect(throws: LupineError.self) {
      _ = try stored.change { (opened) throws(SQLiteFailure) in
        try opened.database.insert(QueueDatabase.Command(transfer: Self.one, kind: .pause, value: 0))
        try opened.database.connection.execute("DROP TABLE events")
        return [
          .network(isAvailable: false), .ended(Self.one, .failed(TransferFailure(kind: "", message: ""), .other)),
        ]
      }
    }
    #expect(error?.kind == .fileFailed)
    #expect(stored.machine.items[Self.one]?.state == .running)
    #expect(stored.machine.isOnline)
    #expect(stored.machine.events.isEmpty)
    #expect(try stored.opened?.database.takeCommands().isEmpty == true)
    #expect(stored.transactions == 1)
    // The same input has its usual effect afterwards.
    let failure = TransferFailure(kind: "other", message: "")
    #expect(
      try stored.change { (_) throws(SQLiteFailure) in [.ended(Self.one, .failed(failure, .other))] }
        == [.store(Self.one, .failed), .tell(number: 1, Self.one, .failed(failure))])
  }
}
