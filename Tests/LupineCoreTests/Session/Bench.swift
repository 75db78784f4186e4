import FoundationEssentials
import HTTPTypes
import LupineMock
import Synchronization

@testable import LupineCore

/// A mock, a clock on which nothing takes time, and sessions over them.
struct Bench {
  static let url = "https://api.example.com/v1/users"

  let mock = MockTransport()
  let clock = ImmediateClock()
  let log = EventLog()

  /// A bench whose mock answers everything with this reply.
  init(_ reply: MockReply = .text("hello")) {
    for method in [HTTPRequest.Method.get, .post, .put, .delete, .head, .patch] {
      mock.stub([method], "/{any...}", reply)
    }
  }

  /// A bench whose mock has no stubs yet.
  init(stubs: (MockTransport) -> Void) { stubs(mock) }

  func session(_ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    try change(Session.Builder().transport(mock).clock(clock).monitor(log)).build()
  }
}

/// Keeps the events of a session.
final class EventLog: EventMonitor {
  private let events = Mutex<[SessionEvent]>([])

  func receive(_ event: SessionEvent) { events.withLock { $0.append(event) } }

  var all: [SessionEvent] { events.withLock { $0 } }

  /// The names of the events' kinds, in order.
  var names: [String] {
    all.map { String("\(Mirror(reflecting: $0.kind).children.first?.label ?? $0.kind.description)") }
  }

  var finishedCount: Int { names.count { $0 == "finished" } }
}

/// Something that happens once and can be awaited.
final class Flag: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func raise() { continuation.finish() }

  func raised() async { for await _ in stream {} }
}

/// Values from several threads, in the order in which they came.
final class Notes<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  func add(_ value: Value) { values.withLock { $0.append(value) } }

  var all: [Value] { values.withLock { $0 } }
}

/// A transport that is a closure.
struct ClosureTransport: Transport {
  var capabilities: TransportCapabilities = []
  let answer: @Sendable (OutgoingRequest, TransferContext) async throws(LupineError) -> TransportResponse

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try await answer(request, context)
  }

  func shutdown() async {}
}

extension TransferContext {
  /// A response whose body is complete.
  func answer(_ status: Int = 200, _ fields: HTTPFields = [:], _ text: String = "") -> TransportResponse {
    let (response, writer) = begin(status, fields)
    var bytes = Array(text.utf8)
    do throws(LupineError) {
      if !bytes.isEmpty { try writer.write(&bytes) }
      writer.finish(metrics: TransferMetrics())
    } catch {
      writer.fail(error, metrics: TransferMetrics())
    }
    return response
  }

  /// A response whose body is still to come.
  func begin(_ status: Int = 200, _ fields: HTTPFields = [:]) -> (TransportResponse, IncomingBodyWriter) {
    let head = HTTPResponse(status: .init(code: status), headerFields: fields)
    let (body, writer) = makeBody(for: head, resume: {})
    return (TransportResponse(head: head, body: body), writer)
  }

  /// Never answers: says that it was asked, and ends once the exchange is cancelled.
  func hang(_ asked: Flag) async throws(LupineError) -> TransportResponse {
    asked.raise()
    await untilCancelled()
    throw LupineError(.cancelled, "")
  }

  /// Waits until the exchange is cancelled.
  func untilCancelled() async {
    let flag = Flag()
    onCancel { flag.raise() }
    await flag.raised()
  }
}

extension IncomingBodyWriter {
  @discardableResult
  func write(_ bytes: inout [UInt8]) throws(LupineError) -> Flow {
    let result = bytes.withUnsafeBytes { bytes -> Result<Flow, LupineError> in
      do throws(LupineError) { return .success(try write(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension HTTPField.Name {
  static let apiKey = HTTPField.Name("X-API-Key") ?? .authorization
  static let custom = HTTPField.Name("X-Custom") ?? .server
}
