import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Synchronization
import Testing

/// A transport that sends bodies without a reader, as with `sendfile(2)`, and reports the bytes that it sent.
@Suite struct SentBytesTests {
  private let notes = Notes<TransferProgress>()
  private let events = Notes<Int64>()

  private func upload(
    _ report: @escaping @Sendable (TransferContext, Int64?) -> Void
  ) async throws {
    let transport = ClosureTransport { (request, context) throws(LupineError) in
      report(context, request.body.length)
      return context.answer(200, [:], "ok")
    }
    let session = try Session.Builder().transport(transport).clock(ImmediateClock())
      .monitor(SentMonitor(events: events)).build()
    _ = try await session.upload(.bytes(Data(count: 10_000)), to: "http://example.com/up")
      .uploadProgress { [notes] in notes.add($0) }.serializingData().value
  }

  @Test func `reported bytes are progress, and the last one ends the upload`() async throws {
    try await upload { context, length in
      for _ in 0..<10 { context.didSend(1_000, of: length) }
    }
    #expect(notes.all.last?.completed == 10_000)
    #expect(notes.all.allSatisfy { $0.total == 10_000 })
    #expect(events.all == [10_000])
  }

  @Test func `an upload that is not complete is not reported as sent`() async throws {
    try await upload { context, length in context.didSend(9_999, of: length) }
    #expect(notes.all.last?.completed == 9_999)
    #expect(events.all.isEmpty)
  }

  @Test func `the bytes of a continued upload count from its offset`() async throws {
    try await upload { context, _ in
      let part = context.continuingUpload(at: 4_000)
      for _ in 0..<2 { part.didSend(3_000, of: 6_000) }
    }
    #expect(notes.all.last?.completed == 10_000)
    #expect(notes.all.allSatisfy { $0.completed >= 4_000 && $0.total == 10_000 })
    #expect(events.all == [6_000])
  }

  @Test func `what the server acknowledges is progress, and what is sent later is none`() async throws {
    try await upload { context, length in
      context.didSend(1_000, of: length)
      context.didAcknowledge(500, of: length)
      context.didSend(8_000, of: length)
      context.didAcknowledge(4_000, of: length)
      context.didAcknowledge(2_000, of: length)
      context.didAcknowledge(-1, of: length)
    }
    #expect(notes.all.last?.completed == 4_000)
    #expect(notes.all.allSatisfy { [1_000, 4_000].contains($0.completed) && $0.total == 10_000 })
  }

  @Test func `bytes that the server has before the first is sent are reported at once`() async throws {
    try await upload { context, length in
      context.didAcknowledge(7_000, of: length)
      context.continuingUpload(at: 7_000, of: length).didSend(3_000, of: 3_000)
    }
    #expect(notes.all.map(\.completed) == [7_000])
    #expect(notes.all.last?.total == 10_000)
    #expect(events.all == [3_000])
  }

  @Test func `without a length the transport itself reports the end`() async throws {
    try await upload { context, _ in
      context.didSend(10_000, of: nil)
      context.emit(.sent(bytes: 10_000))
    }
    #expect(notes.all.last?.completed == 10_000)
    #expect(events.all == [10_000])
  }

  @Test func `an empty body is the transport's to report`() {
    let sent = Notes<Int64>()
    let context = TransferContext(
      id: RequestID(1), events: { if case .sent(let count) = $0 { sent.add(count) } }, sink: { _ in .collect(limit: 1) }
    )
    context.didSend(0, of: 0)
    #expect(sent.all.isEmpty)
  }
}

private struct SentMonitor: EventMonitor {
  let events: Notes<Int64>

  func receive(_ event: SessionEvent) {
    if case .sent(let count) = event.kind { events.add(count) }
  }
}
