import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import LupineCore

@Suite struct BodyChannelTests {
  private static func make(
    _ sink: BodySink, control: ExchangeControl? = nil, resumed: Notes<Void> = Notes()
  ) -> (ResponseBody, ResponseBodyWriter) {
    let exchange = (control ?? ExchangeControl()).beginBody(sink) { resumed.add(()) }
    return (ResponseBody(exchange: exchange), ResponseBodyWriter(exchange: exchange))
  }

  private static func write(_ text: String, to writer: ResponseBodyWriter) throws -> ResponseBodyWriter.Flow {
    var bytes = Array(text.utf8)
    return try writer.write(&bytes)
  }

  @Test func `a body that is collected ends with its data`() async throws {
    let (body, writer) = Self.make(.collect(limit: 5))
    #expect(try Self.write("hel", to: writer) == .proceed)
    #expect(try Self.write("lo", to: writer) == .proceed)
    writer.finish(trailers: [.server: "t"], metrics: TransferMetrics())
    let end = try await body.end()
    #expect(end.data == Data("hello".utf8))
    #expect(end.byteCount == 5)
    #expect(end.trailers?[.server] == "t")
  }

  @Test func `bytes that are already in memory are collected with the following ones`() async throws {
    let control = ExchangeControl()
    let (body, writer) = Self.make(.collect(limit: 5), control: control)
    #expect(try writer.write(Data("_hel".utf8)[1...]) == .proceed)
    #expect(try writer.write(Data("lo".utf8)) == .proceed)
    writer.finish(metrics: TransferMetrics())
    let end = try await body.end()
    #expect(end.data == Data("hello".utf8))
    #expect(end.data.startIndex == 0)
    #expect(end.byteCount == 5)
  }

  @Test(arguments: [BodySink.collect(limit: 4), .stream(window: 9), .discard(limit: 9)])
  func `bytes that are already in memory go to the destination of the sink`(sink: BodySink) async throws {
    let (body, writer) = Self.make(sink)
    #expect(try writer.write(Data("1234".utf8)) == .proceed)
    let isStream = if case .stream = sink.destination { true } else { false }
    if isStream { #expect(try await body.next() == Array("1234".utf8)) }
    writer.finish(metrics: TransferMetrics())
    let end = try await body.end()
    let isCollected = if case .collect = sink.destination { true } else { false }
    #expect(end.data == (isCollected ? Data("1234".utf8) : Data()))
    #expect(end.byteCount == 4)
  }

  @Test func `bytes that are already in memory count towards the limit`() throws {
    let (_, writer) = Self.make(.collect(limit: 4))
    let error = #expect(throws: LupineError.self) { try writer.write(Data("hello".utf8)) }
    #expect(error?.kind == .limitExceeded(.responseBody))
  }

  @Test(arguments: [
    (BodySink.collect(limit: 4), Limits.Name.responseBody), (.discard(limit: 4), .discardedBody),
  ])
  func `each sink applies its own limit`(sink: BodySink, name: Limits.Name) throws {
    let (_, writer) = Self.make(sink)
    let error = #expect(throws: LupineError.self) { try Self.write("hello", to: writer) }
    #expect(error?.kind == .limitExceeded(name))
    #expect(error?.message.contains(name.rawValue) == true)
  }

  @Test func `of finish and fail the first counts`() async throws {
    let (body, writer) = Self.make(.collect(limit: 9))
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    writer.finish(metrics: TransferMetrics())
    #expect(try Self.write("late", to: writer) == .proceed)
    let error = await #expect(throws: LupineError.self) { try await body.end() }
    #expect(error?.kind == .connectionLost)
    #expect(error?.metrics != nil)
  }

  @Test func `a stream joins waiting pieces, pauses at its window, and continues when there is room`() async throws {
    let resumed = Notes<Void>()
    let (body, writer) = Self.make(.stream(window: 4), resumed: resumed)
    #expect(try Self.write("abc", to: writer) == .proceed)
    #expect(try Self.write("de", to: writer) == .pause)
    #expect(try await body.next() == Array("abcde".utf8))
    #expect(resumed.all.count == 1)
    #expect(try Self.write("f", to: writer) == .proceed)
    #expect(try await body.next() == Array("f".utf8))
    writer.finish(metrics: TransferMetrics())
    #expect(try await body.next() == nil)
  }

  @Test func `a consumer that keeps its pieces keeps their bytes`() async throws {
    let (body, writer) = Self.make(.stream(window: 512 << 10))
    var kept: [[UInt8]] = []
    for number in 0..<UInt8(20) {
      var bytes = [UInt8](repeating: number, count: 300 << 10)
      _ = try writer.write(&bytes)
      kept.append(try #require(try await body.next()))
      // The test releases every third piece, so that its memory is reused while the other pieces are kept.
      if number % 3 == 0, let piece = kept.popLast() { #expect(piece.count == 300 << 10) }
    }
    writer.finish(metrics: TransferMetrics())
    let numbers = (0..<UInt8(20)).filter { $0 % 3 != 0 }
    #expect(kept.count == numbers.count)
    for (piece, number) in zip(kept, numbers) {
      #expect(Data(piece) == Data(repeating: number, count: 300 << 10))
    }
  }

  @Test func `small pieces that become a large one stay in order`() async throws {
    let (body, writer) = Self.make(.stream(window: 512 << 10))
    let bytes = (0..<(200 << 10)).map { UInt8(truncatingIfNeeded: $0 / 251) }
    for start in stride(from: 0, to: bytes.count, by: 4_000) {
      var piece = Array(bytes[start..<min(start + 4_000, bytes.count)])
      _ = try writer.write(&piece)
    }
    #expect(try await body.next() == bytes)
  }

  @Test func `a stream that fails first hands over the earlier bytes`() async throws {
    let (body, writer) = Self.make(.stream(window: 99))
    _ = try Self.write("abc", to: writer)
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    #expect(try await body.next() == Array("abc".utf8))
    await #expect(throws: LupineError.self) { try await body.next() }
  }

  @Test func `a consumer that waits gets the next piece`() async throws {
    let (body, writer) = Self.make(.stream(window: 1))
    async let piece = body.next()
    _ = try Self.write("x", to: writer)
    #expect(try await piece == Array("x".utf8))
  }

  @Test func `a suspended exchange pauses at the next bytes and resumes once`() throws {
    let resumed = Notes<Void>()
    let control = ExchangeControl()
    let (_, writer) = Self.make(.collect(limit: 99), control: control, resumed: resumed)
    control.setSuspended(true)
    #expect(try Self.write("x", to: writer) == .pause)
    control.setSuspended(false)
    control.setSuspended(false)
    #expect(resumed.all.count == 1)
    #expect(try Self.write("y", to: writer) == .proceed)
  }

  @Test func `an exchange that is suspended before its head pauses from the first byte`() throws {
    let control = ExchangeControl()
    control.setSuspended(true)
    let (_, writer) = Self.make(.collect(limit: 99), control: control)
    #expect(try Self.write("x", to: writer) == .pause)
  }

  @Test func `if no handler can end the exchange, its body ends with the cancellation`() async throws {
    let control = ExchangeControl()
    let (body, _) = Self.make(.collect(limit: 99), control: control)
    control.cancel(LupineError(.timedOut(.total), ""))
    let error = await #expect(throws: LupineError.self) { try await body.end() }
    #expect(error?.kind == .timedOut(.total))
  }

  @Test(arguments: [BodySink.collect(limit: 4), .stream(window: 1), .discard(limit: 4)])
  func `a body that is complete goes to the destination of the sink`(sink: BodySink) async throws {
    let context = TransferContext(id: RequestID(1)) { _ in sink }
    let body = context.makeBody(
      for: HTTPResponse(status: .ok), content: Data("_1234".utf8)[1...], trailers: [.server: "t"])
    let isStream = if case .stream = sink.destination { true } else { false }
    if isStream {
      #expect(try await body.next() == Array("1234".utf8))
      #expect(try await body.next() == nil)
    }
    let end = try await body.end()
    let isCollected = if case .collect = sink.destination { true } else { false }
    #expect(end.data == (isCollected ? Data("1234".utf8) : Data()))
    #expect(end.data.startIndex == 0)
    #expect(end.byteCount == 4)
    #expect(end.trailers?[.server] == "t")
  }

  @Test(arguments: [(BodySink.collect(limit: 3), Limits.Name.responseBody), (.discard(limit: 3), .discardedBody)])
  func `the limit of a sink applies to a complete body`(sink: BodySink, name: Limits.Name) async throws {
    let body = ResponseBody(exchange: ExchangeControl().beginBody(BodyEnd(data: Data("1234".utf8))))
    body.open(sink)
    let error = await #expect(throws: LupineError.self) { try await body.end() }
    #expect(error?.kind == .limitExceeded(name))
    #expect(error?.metrics != nil)
  }

  @Test func `a complete body passes through the stages and the observers of its sink`() async throws {
    let body = ResponseBody(exchange: ExchangeControl().beginBody(BodyEnd(data: Data("ab".utf8))))
    let recorder = BodyRecorder()
    body.tee(into: recorder)
    body.open(BodySink(.collect(limit: 9), stages: [Inflating(by: 2)]))
    #expect(try await body.end().data == Data("aabb".utf8))
    #expect(recorder.bytes == Array("ab".utf8))
    #expect(recorder.end?.byteCount == 2)
  }

  @Test func `a complete body that is cancelled before it is opened hands over its bytes first`() async throws {
    let control = ExchangeControl()
    let body = ResponseBody(exchange: control.beginBody(BodyEnd(data: Data("ab".utf8))))
    control.cancel(LupineError(.connectionLost, ""))
    body.open(.stream(window: 9))
    #expect(try await body.next() == Array("ab".utf8))
    #expect(await #expect(throws: LupineError.self) { try await body.next() }?.kind == .connectionLost)
  }

  @Test func `the end of a complete body stays when it is abandoned`() async throws {
    let body = ResponseBody.complete(Data("ab".utf8))
    body.abandon()
    #expect(try await body.end().data == Data("ab".utf8))
    let unopened = ResponseBody(exchange: ExchangeControl().beginBody(BodyEnd(data: Data("ab".utf8))))
    unopened.abandon()
    #expect(try await unopened.end().byteCount == 2)
  }

  @Test func `a complete body has a known size`() async throws {
    #expect(try await ResponseBody.complete(Data([1, 2, 3])).end().byteCount == 3)
  }

  @Test func `the last of several concurrent suspensions and resumptions decides`() async throws {
    for _ in 0..<200 {
      let control = ExchangeControl()
      let (_, writer) = Self.make(.collect(limit: 99), control: control)
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<8 { group.addTask { control.setSuspended(index % 2 == 0) } }
      }
      control.setSuspended(false)
      #expect(try Self.write("x", to: writer) == .proceed)
    }
  }

  @Test func `a decoded stream holds a slice over its window, and the rest comes as it is taken`() async throws {
    let resumed = Notes<Void>()
    let (body, writer) = Self.make(
      BodySink(.stream(window: 4_096), stages: [Inflating(by: 64)]), resumed: resumed)
    var bytes = [UInt8](repeating: 7, count: 16_384)
    #expect(try writer.write(&bytes) == .proceed)
    writer.finish(metrics: TransferMetrics())
    // One slice of 1 KiB decodes to sixteen windows. The other fifteen slices stay encoded until the reader needs them.
    var (count, mostAtOnce) = (0, 0)
    while let piece = try await body.next() {
      count += piece.count
      mostAtOnce = max(mostAtOnce, piece.count)
      #expect(piece.allSatisfy { $0 == 7 })
    }
    #expect(count == 16_384 * 64)
    #expect(mostAtOnce == 1_024 * 64)
    #expect(try await body.end().byteCount == Int64(count))
  }

  @Test func `a decoding error after the transport's end fails the body`() async throws {
    let (body, writer) = Self.make(BodySink(.stream(window: 1), stages: [Inflating(by: 1, failingAfter: 2_048)]))
    var bytes = [UInt8](repeating: 7, count: 4_096)
    _ = try writer.write(&bytes)
    writer.finish(metrics: TransferMetrics())
    #expect(try await body.next()?.count == 1_024)
    #expect(try await body.next()?.count == 1_024)
    let error = await #expect(throws: LupineError.self) { try await body.next() }
    #expect(error?.kind == .contentDecodingFailed)
    #expect(await #expect(throws: LupineError.self) { try await body.end() }?.metrics != nil)
  }

  @Test(arguments: [4_096, Int.max])
  func `an encoded stream that breaks off first hands over the earlier bytes`(failingAfter most: Int) async throws {
    let (body, writer) = Self.make(BodySink(.stream(window: 1), stages: [Inflating(by: 1, failingAfter: most)]))
    var bytes = [UInt8](repeating: 7, count: 4_097)
    _ = try writer.write(&bytes)
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    let end = await #expect(throws: LupineError.self) { try await body.end() }
    #expect(end?.kind == .connectionLost)
    for _ in 0..<4 { #expect(try await body.next()?.count == 1_024) }
    if most > 4_096 { #expect(try await body.next()?.count == 1) }
    let error = await #expect(throws: LupineError.self) { try await body.next() }
    #expect(error?.kind == .connectionLost)
  }

  @Test(arguments: [LupineError.Kind.cancelled, .timedOut(.total), .sessionShutDown])
  func `a coded stream that is given up is not decoded any further`(kind: LupineError.Kind) async throws {
    let (body, writer) = Self.make(BodySink(.stream(window: 1), stages: [Inflating(by: 1)]))
    var bytes = [UInt8](repeating: 7, count: 4_096)
    _ = try writer.write(&bytes)
    #expect(try await body.next()?.count == 1_024)
    writer.fail(LupineError(kind, ""), metrics: TransferMetrics())
    #expect(await #expect(throws: LupineError.self) { try await body.next() }?.kind == kind)
  }

  @Test func `an abandoned body is not decoded any further`() async throws {
    let (body, writer) = Self.make(BodySink(.stream(window: 1), stages: [Inflating(by: 1, failingAfter: 2_048)]))
    var bytes = [UInt8](repeating: 7, count: 4_096)
    _ = try writer.write(&bytes)
    body.abandon()
    _ = try writer.write(&bytes)
    writer.finish(metrics: TransferMetrics())
    _ = try await body.end()
  }

  @Test func `the end of an abandoned body stays the same if a stage fails afterwards`() async throws {
    let control = ExchangeControl()
    let stage = AbandoningStage()
    let exchange = control.beginBody(BodySink(.stream(window: 9), stages: [stage]), resume: {})
    let (body, writer) = (ResponseBody(exchange: exchange), ResponseBodyWriter(exchange: exchange))
    stage.body.withLock { $0 = body }
    _ = try Self.write("hello", to: writer)
    writer.finish(metrics: TransferMetrics())
    _ = try? await body.next()
    stage.body.withLock { $0 = nil }
    _ = try await body.end()
  }

  @Test func `a task that awaits the end while an observer is called waits until the observer returns`() async throws {
    let (body, writer) = Self.make(.collect(limit: 5))
    let notes = Notes<String>()
    let late = Notes<Task<Void, Never>>()
    body.onEnd { _ in
      late.add(
        Task.immediate {
          _ = try? await body.end()
          notes.add("gone on")
        })
      notes.add(body.goodEnd == nil ? "not at hand" : "at hand")
      notes.add("told")
    }
    writer.finish(metrics: TransferMetrics())
    for task in late.all { await task.value }
    #expect(notes.all == ["not at hand", "told", "gone on"])
    #expect(body.goodEnd != nil)
  }
}

/// Repeats each byte `factor` times, with one output for each input, and fails after `most` bytes of input.
private final class Inflating: BodyTransformer {
  private let factor: Int
  private let most: Int
  private let seen = Mutex(0)

  init(by factor: Int, failingAfter most: Int = .max) {
    self.factor = factor
    self.most = most
  }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    let seen = seen.withLock { seen in
      seen += input.count
      return seen
    }
    guard seen <= most else { throw LupineError(.contentDecodingFailed, "broken") }
    let inflated = input.flatMap { [UInt8](repeating: $0, count: factor) }
    try inflated.withUnsafeBufferPointer { (bytes) throws(LupineError) in try output(UnsafeRawBufferPointer(bytes)) }
  }

  func finish(into output: Output) throws(LupineError) {}
}

/// Abandons its body, and then fails.
private final class AbandoningStage: BodyTransformer {
  let body = Mutex<ResponseBody?>(nil)

  func transform(_ input: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    let body = body.withLock { $0 }
    body?.abandon()
    throw LupineError(.other, "")
  }

  func finish(into output: BodyTransformer.Output) throws(LupineError) {}
}
