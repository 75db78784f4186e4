import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
import Testing

@testable import LupineCore

/// Observers of bodies, without a session.
@Suite struct BodyTeeTests {
  private static func make(
    _ sink: BodySink?, _ recorder: BodyRecorder, resumed: Notes<Void> = Notes()
  ) -> (ResponseBody, ResponseBodyWriter) {
    let exchange = ExchangeControl().beginBody { resumed.add(()) }
    let body = ResponseBody(exchange: exchange)
    body.tee(into: recorder)
    if let sink { body.open(sink) }
    return (body, ResponseBodyWriter(exchange: exchange))
  }

  private static func write(_ text: String, to writer: ResponseBodyWriter) throws {
    var bytes = Array(text.utf8)
    _ = try writer.write(&bytes)
  }

  @Test func `bytes from before and after the opening pass in order`() async throws {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(nil, recorder)
    try Self.write("ab", to: writer)
    body.open(.collect(limit: 9))
    try Self.write("cd", to: writer)
    writer.finish(trailers: [.server: "t"], metrics: TransferMetrics())
    #expect(try await body.end().data == Data("abcd".utf8))
    #expect(recorder.bytes == Array("abcd".utf8))
    #expect(recorder.end?.byteCount == 4)
    #expect(recorder.end?.data.isEmpty == true)
    #expect(recorder.end?.trailers?[.server] == "t")
  }

  @Test(arguments: [BodySink.collect(limit: 9), .discard(limit: 9)])
  func `the bytes before a failure pass before the error`(sink: BodySink) async throws {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(sink, recorder)
    try Self.write("abcd", to: writer)
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    let error = await #expect(throws: LupineError.self) { try await body.end() }
    #expect(error?.kind == .connectionLost)
    #expect(recorder.bytes == Array("abcd".utf8))
    #expect(await recorder.failure()?.kind == .connectionLost)
  }

  @Test func `the reader of a stream that fails receives the earlier bytes, although the end was observed`()
    async throws
  {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(.stream(window: 9), recorder)
    try Self.write("abcd", to: writer)
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    await #expect(throws: LupineError.self) { try await body.end() }
    #expect(recorder.results.isEmpty)
    #expect(try await body.next() == Array("abcd".utf8))
    await #expect(throws: LupineError.self) { try await body.next() }
    #expect(recorder.bytes == Array("abcd".utf8))
    #expect(await recorder.failure()?.kind == .connectionLost)
  }

  @Test(arguments: [BodySink?.none, .collect(limit: 9), .stream(window: 9)])
  func `a cancellation is the end, with its reason`(sink: BodySink?) async throws {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(sink, recorder)
    try Self.write("abcd", to: writer)
    let (exchange, ended) = (body.exchange, writer)
    exchange.onCancel { ended.fail(LupineError(.cancelled, ""), metrics: TransferMetrics()) }
    exchange.cancel(LupineError(.timedOut(.total), ""))
    #expect(await recorder.failure()?.kind == .timedOut(.total))
  }

  @Test(arguments: [BodySink?.none, .collect(limit: 9), .stream(window: 9)])
  func `an observer learns that a dropped body did not pass`(sink: BodySink?) async throws {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(sink, recorder)
    try Self.write("abcd", to: writer)
    body.abandon()
    #expect(await recorder.failure()?.kind == .cancelled)
    writer.finish(metrics: TransferMetrics())
    _ = try await body.end()
    #expect(recorder.results.count == 1)
  }

  @Test func `a body that arrived and was dropped before it was processed did not pass`() async throws {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(.stream(window: 9), recorder)
    try Self.write("abcd", to: writer)
    writer.finish(metrics: TransferMetrics())
    body.abandon()
    #expect(await recorder.failure()?.kind == .cancelled)
  }

  @Test func `a body that is released without an end is given up`() async throws {
    let recorder = BodyRecorder()
    do { _ = Self.make(nil, recorder) }
    #expect(await recorder.failure()?.kind == .cancelled)
  }

  @Test func `a sink that cannot be opened is the end`() async throws {
    let recorder = BodyRecorder()
    let (_, writer) = Self.make(.file(descriptor: -1), recorder)
    #expect(await recorder.failure()?.kind == .fileFailed)
    #expect(throws: LupineError.self) { try Self.write("a", to: writer) }
  }

  @Test func `an observer that comes after the opening receives an error, and no bytes`() async throws {
    let (first, late) = (BodyRecorder(), BodyRecorder())
    let (body, writer) = Self.make(.collect(limit: 9), first)
    body.tee(into: late)
    try Self.write("abcd", to: writer)
    writer.finish(metrics: TransferMetrics())
    _ = try await body.end()
    #expect(await late.failure()?.kind == .other)
    #expect(late.bytes.isEmpty)
    #expect(first.end?.byteCount == 4)
  }

  @Test(arguments: [BodySink.collect(limit: 9), .stream(window: 9)])
  func `an observer that throws is dropped, and the others and the body continue`(sink: BodySink) async throws {
    let (broken, sound) = (BodyRecorder(failingAfter: 0), BodyRecorder())
    let (body, writer) = Self.make(nil, broken)
    body.tee(into: sound)
    body.open(sink)
    for text in ["ab", "cd"] {
      try Self.write(text, to: writer)
      if body.isStreamed { #expect(try await body.next() == Array(text.utf8)) }
    }
    writer.finish(metrics: TransferMetrics())
    if body.isStreamed { #expect(try await body.next() == nil) }
    #expect(try await body.end().byteCount == 4)
    #expect(broken.results.isEmpty)
    #expect(sound.bytes == Array("abcd".utf8))
    #expect(sound.end?.byteCount == 4)
  }

  @Test func `a body over its limit did not pass`() async throws {
    let recorder = BodyRecorder()
    let (body, writer) = Self.make(.collect(limit: 3), recorder)
    try Self.write("abcd", to: writer)
    writer.finish(metrics: TransferMetrics())
    await #expect(throws: LupineError.self) { try await body.end() }
    #expect(await recorder.failure()?.kind == .limitExceeded(.responseBody))
  }

  @Test(.timeLimit(.minutes(1)), arguments: [BodySink.collect(limit: .max), .stream(window: 1 << 20)])
  func `an observer that hangs holds up neither the writer nor a pool thread, and the writer pauses`(
    sink: BodySink
  ) async throws {
    let (began, release, resumed) = (Flag(), ThreadGate(), Notes<Void>())
    let recorder = BodyRecorder {
      began.raise()
      release.wait()
    }
    let (body, writer) = Self.make(sink, recorder, resumed: resumed)
    var piece = [UInt8](repeating: 1, count: 1_024)
    let consumer = Task {
      if body.isStreamed { while try await body.next() != nil {} }
      return try await body.end().byteCount
    }
    #expect(try writer.write(&piece) == .proceed)
    await began.raised()
    var count = 1
    while try writer.write(&piece) == .proceed { count += 1 }
    #expect(count == 256)
    release.open()
    writer.finish(metrics: TransferMetrics())
    #expect(try await consumer.value == 257 << 10)
    #expect(recorder.end?.byteCount == 257 << 10)
  }
}

/// Blocks threads until `open()` is called.
private final class ThreadGate: Sendable {
  private let ends: [Int32]

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    self.ends = ends
  }

  deinit { close(ends[0]) }

  /// Blocks until the write end of the pipe is closed; no code writes to the pipe.
  func wait() {
    var byte: UInt8 = 0
    read(ends[0], &byte, 1)
  }

  func open() { close(ends[1]) }
}
