import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
import Testing

@testable import LupineCore

/// Bodies that go on without the exchange that they answered.
@Suite struct DetachedBodyTests {
  private typealias Stage = DetachedStage

  private static let all = Array("0123456789".utf8)

  @Test(arguments: [BodySink?.none, .collect(limit: 100), .stream(window: 4)], 0...10)
  func `the observer has the bytes before, and the rest those after, wherever the body is cut`(
    sink: BodySink?, place: Int
  ) async throws {
    for isNested in [false, true] {
      for taken in 0...place {
        let stage = Stage(isNested: isNested)
        if let sink { stage.body.open(sink) }
        for byte in Self.all[..<taken] { _ = try stage.write([byte]) }
        // The consumer takes what has arrived.
        if case .stream = sink?.destination, taken > 0 { _ = try await stage.body.next() }
        for byte in Self.all[taken..<place] { _ = try stage.write([byte]) }
        let rest = try #require(stage.branch.detachBody(Stage.reason))
        let before = Task { try await Stage.read(rest) }
        for byte in Self.all[place...] { _ = try stage.write([byte]) }
        stage.finish()
        #expect(stage.recorder.bytes + (try await before.value) == Self.all)
        #expect(await stage.recorder.failure()?.kind == .cancelled)
        #expect(await #expect(throws: LupineError.self) { try await stage.body.end() }?.kind == .cancelled)
      }
    }
  }

  @Test func `a body that has arrived and was not taken is detached with its end`() async throws {
    let stage = Stage()
    stage.body.open(.stream(window: 4))
    _ = try stage.write(Self.all)
    stage.finish()
    let rest = try #require(stage.branch.detachBody(Stage.reason))
    #expect(try await Stage.read(rest) == Self.all)
    #expect(stage.recorder.bytes.isEmpty)
  }

  @Test func `the bytes that the observer receives at that moment are its own`() async throws {
    let (stages, rests) = (Notes<Stage>(), Notes<ResponseBody>())
    // Called while the consumer has the work.
    let recorder = BodyRecorder {
      guard let stage = stages.all.first else { return }
      _ = try? stage.write(Self.all[4..<6])
      if let rest = stage.branch.detachBody(Stage.reason) { rests.add(rest) }
      _ = try? stage.write(Self.all[6...])
    }
    let stage = Stage(recorder: recorder)
    stages.add(stage)
    stage.body.open(.collect(limit: 100))
    _ = try stage.write(Self.all[..<4])
    #expect(await #expect(throws: LupineError.self) { try await stage.body.end() }?.kind == .cancelled)
    stage.finish()
    #expect(try await Stage.read(try #require(rests.all.first)) == Array(Self.all[4...]))
    #expect(await recorder.failure()?.kind == .cancelled)
    #expect(recorder.bytes == Array(Self.all[..<4]))
  }

  @Test func `a paused transport continues for the consumer of the rest`() async throws {
    let stage = Stage()
    stage.body.open(.stream(window: 4))
    let piece = [UInt8](repeating: 7, count: 256 << 10)
    #expect(try stage.write(piece) == .pause)
    let rest = try #require(stage.branch.detachBody(Stage.reason))
    #expect(stage.resumed.all.isEmpty)
    rest.open(.stream(window: 4))
    #expect(try await rest.next()?.isEmpty == false)
    #expect(stage.resumed.all.count == 1)
    stage.finish()
    while try await rest.next() != nil {}
  }

  @Test func `a cancellation of the branch reaches the transport and ends the rest`() async throws {
    let stage = Stage()
    let writer = stage.writer
    stage.branch.onCancel { writer.fail(LupineError(.cancelled, ""), metrics: TransferMetrics()) }
    stage.body.open(.collect(limit: 100))
    _ = try stage.write(Self.all[..<4])
    let rest = try #require(stage.branch.detachBody(Stage.reason))
    stage.parent.cancel(Stage.reason)
    rest.open(.stream(window: 4))
    #expect(try await rest.next() == Array(Self.all[..<4]))
    stage.branch.cancel(LupineError(.timedOut(.idle), ""))
    await #expect(throws: LupineError.self) { try await rest.next() }
    #expect(try stage.write([1]) == .proceed)
  }

  @Test func `what observes the end below the layer hears of the end of the exchange`() async throws {
    let parent = ExchangeControl()
    let branch = parent.branch()
    let exchange = branch.beginBody {}
    let (body, writer) = (ResponseBody(exchange: exchange), ResponseBodyWriter(exchange: exchange))
    let notes = Notes<String>()
    body.onEnd { end in notes.add("below: \((try? end.get()) != nil)") }
    branch.choose()
    body.tee(into: BodyRecorder())
    body.onEnd { end in notes.add("above: \((try? end.get()) != nil)") }
    body.open(.collect(limit: 100))
    let rest = try #require(branch.detachBody(Stage.reason))
    #expect(notes.all == ["above: false"])
    rest.open(.stream(window: 4))
    writer.finish(metrics: TransferMetrics())
    #expect(try await rest.next() == nil)
    #expect(notes.all == ["above: false", "below: true"])
  }

  @Test func `events of a detached branch do not reach the request`() async throws {
    let events = Notes<String>()
    let context = TransferContext(id: RequestID(1), events: { events.add("\($0)") }) { _ in .collect(limit: 9) }
    let branch = context.control.branch()
    let below = context.branch(branch)
    let (body, writer) = below.makeBody(for: HTTPResponse(status: .ok)) {}
    branch.choose()
    body.tee(into: BodyRecorder())
    below.emit(.sent(bytes: 1))
    let rest = try #require(branch.detachBody(Stage.reason))
    below.emit(.sent(bytes: 2))
    #expect(events.all.count == 1)
    rest.abandon()
    writer.finish(metrics: TransferMetrics())
  }

  @Test func `there is no rest without a branch, a body or an observer, or after the end`() async throws {
    #expect(ExchangeControl().detachBody(Stage.reason) == nil)
    let parent = ExchangeControl()
    let branch = parent.branch()
    #expect(branch.detachBody(Stage.reason) == nil)
    let exchange = branch.beginBody {}
    #expect(branch.detachBody(Stage.reason) == nil)
    branch.choose()
    #expect(branch.detachBody(Stage.reason) == nil)
    ResponseBodyWriter(exchange: exchange).finish(metrics: TransferMetrics())

    let failed = Stage()
    failed.writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    #expect(failed.branch.detachBody(Stage.reason) == nil)
    let complete = Stage()
    complete.body.open(.collect(limit: 100))
    complete.finish()
    _ = try await complete.body.end()
    #expect(complete.branch.detachBody(Stage.reason) == nil)
    let cancelled = Stage()
    cancelled.branch.cancel(Stage.reason)
    #expect(cancelled.branch.detachBody(Stage.reason) == nil)
    let twice = Stage()
    #expect(twice.branch.detachBody(Stage.reason) != nil)
    #expect(twice.branch.detachBody(Stage.reason) == nil)
  }

  @Test func `a file ends with the bytes that the observer has received`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "detached-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "file").path
    let handle = try #require(fopen(path, "w"))
    defer { fclose(handle) }
    let stage = Stage()
    stage.body.open(.file(descriptor: fileno(handle), offset: 0, limit: 100))
    _ = try stage.write(Self.all[..<4])
    await stage.body.flush()
    _ = try stage.write(Self.all[4..<6])
    let rest = try #require(stage.branch.detachBody(Stage.reason))
    #expect(await #expect(throws: LupineError.self) { try await stage.body.end() }?.kind == .cancelled)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(Self.all[..<4]))
    #expect(stage.recorder.bytes == Array(Self.all[..<4]))
    _ = try stage.write(Self.all[6...])
    stage.finish()
    #expect(try await Stage.read(rest) == Array(Self.all[4...]))
  }

  @Test(arguments: 0..<20) func `no byte is lost or repeated while the transport writes`(round: Int) async throws {
    let stage = Stage()
    stage.body.open(.discard(limit: .max))
    let consumer = Task { try await stage.body.end() }
    let all = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
    let transport = Task.detached {
      for start in stride(from: 0, to: all.count, by: 7) {
        _ = try stage.write(all[start..<min(start + 7, all.count)])
      }
      stage.finish()
    }
    for _ in 0..<round * 50 { await Task.yield() }
    guard let rest = stage.branch.detachBody(Stage.reason) else {
      // The body had ended.
      try await transport.value
      _ = try await consumer.value
      return #expect(stage.recorder.bytes == all)
    }
    let later = try await Stage.read(rest)
    try await transport.value
    #expect(await stage.recorder.failure()?.kind == .cancelled)
    #expect(stage.recorder.bytes + later == all)
    _ = try? await consumer.value
  }
}
