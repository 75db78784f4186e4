import Foundation
import LupineCore
import LupineMock
import LupineSQLiteConnection
import LupineSession
import Testing

@testable import LupineTransferQueue

/// How transfers begin, and what the ends of their tasks mean.
@Suite(.timeLimit(.minutes(1))) struct RunningTransfersTests {
  private static let one = TransferID(1)

  private let stage: QueueStage
  private let settings: QueueSettings

  init() throws {
    stage = try QueueStage()
    settings = TransferQueue.Configuration().settings(
      folder: stage.queueFolder, session: try stage.session(),
      clock: SessionClock(ImmediateClock(), executor: nil), random: { 7 }, executor: nil, patience: .seconds(5))
  }

  private static func item(
    _ state: TransferState = .running, credential: String? = nil, isRemoved: Bool = false
  ) -> QueueMachine.Item {
    QueueMachine.Item(id: one, host: "a", credential: credential, state: state, isRemoved: isRemoved)
  }

  private static func row(_ content: TransferRecord.Content, method: String = "GET", asksForURL: Bool = false)
    -> TransferRow
  {
    TransferRow(
      record: TransferRecord(
        method: method, url: "https://example.com/a", headers: [], content: content, asksForURL: asksForURL,
        token: "1"),
      data: Data())
  }

  private static func cause(_ verdict: RunningTransfers.Verdict) -> QueueMachine.Cause? {
    if case .now(.failed(_, let cause)) = verdict { cause } else { nil }
  }

  @Test(
    arguments: [
      (.connectionLost, nil, .connection), (.missingCredential, nil, .credential),
      (.unacceptableStatusCode(401), nil, .other), (.unacceptableStatusCode(401), "accounting", .credential),
      (.unacceptableStatusCode(407), "accounting", .credential), (.unacceptableStatusCode(403), "accounting", .other),
      (.fileFailed, "accounting", .other),
    ] as [(LupineError.Kind, String?, QueueMachine.Cause)])
  func `the kind of an error decides what the transfer waits for`(
    kind: LupineError.Kind, credential: String?, cause: QueueMachine.Cause
  ) {
    var running = RunningTransfers(pace: nil)
    let item = Self.item(credential: credential)
    let error = LupineError(kind, "It failed.")
    #expect(
      Self.cause(running.verdict(.downloaded(error, status: nil, isSimple: true), of: item, in: nil)) == cause)
    #expect(Self.cause(running.verdict(.uploaded(.failure(error)), of: item, in: nil)) == cause)
    // Such a disk may keep files that were to be removed.
    #expect(running.interrupted == (kind == .fileFailed ? [Self.one] : []))
  }

  @Test func `a download that has ended at the last moment is not placed, and one that cannot be read is later`() {
    var running = RunningTransfers(pace: nil)
    let end = RunningTransfers.TaskEnd.downloaded(nil, status: 200, isSimple: true)
    for item in [nil, Self.item(.paused), Self.item(isRemoved: true)] {
      guard case .now(.stopped) = running.verdict(end, of: item, in: nil) else {
        Issue.record("\(item as Any)")
        continue
      }
    }
    guard case .later = running.verdict(end, of: Self.item(), in: nil) else {
      Issue.record("A transfer whose row cannot be read must run again.")
      return
    }
  }

  private static let refused: [(row: TransferRow?, text: String)] = [
    (nil, "cannot be read"), (row(.file("/a"), method: "a b"), "cannot be read"),
    (row(.file("/a"), asksForURL: true), "no refreshURL"),
    (row(.download(.file("/etc/passwd"), nil, sizeLimit: nil)), "already a file"),
  ]

  @Test(arguments: refused.indices) func `a transfer that must not begin ends at once`(index: Int) throws {
    var stored = StoredMachine(settings)
    stored.use(try stored.open().queue)
    let opened = try #require(stored.opened)
    var sessions = ProfileSessions()
    let start = TransferStart(Self.refused[index].row, in: opened, &sessions, settings, ProgressHub())
    guard case .end(.failed(let failure, .other)) = start else {
      Issue.record("\(start)")
      return
    }
    #expect(failure.message.contains(Self.refused[index].text), "\(failure.message)")
  }
}
