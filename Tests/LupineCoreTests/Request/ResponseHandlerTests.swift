import FoundationEssentials
import HTTPTypes
import LupineCoding
import LupineMock
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct ResponseHandlerTests {
  /// Records the name of each method that is called, and adds a stage to the body.
  private final class Recorder: ResponseHandler {
    final class Stage: BodyTransformer {
      let bytes = Mutex<[UInt8]>([])

      func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
        bytes.withLock { $0 += input }
      }

      func finish(into output: Output) throws(LupineError) {}
    }

    let stage = Stage()
    private let names = Mutex<[String]>([])

    var calls: [String] { names.withLock { $0 } }
    var text: String { String(decoding: stage.bytes.withLock { $0 }, as: UTF8.self) }

    private func note(_ name: String) { names.withLock { $0.append(name) } }

    func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
      note("begin")
      return request
    }

    func prepare(_ request: OutgoingRequest, in session: Session) async -> OutgoingRequest {
      note("prepare")
      return request
    }

    func decide(
      _ response: TransportResponse, to request: OutgoingRequest, in session: Session
    ) async throws(LupineError) -> ResponseDecision {
      note("decide")
      return ResponseDecision(.receive(BodySink(.collect(limit: 0), stages: [stage]), offset: 0))
    }

    func dropResponse(keeping limit: Int64) async -> Data? {
      note("drop")
      return Data(stage.bytes.withLock { $0 }.prefix(Int(clamping: limit)))
    }

    func check(_ response: ReceivedResponse) async throws(LupineError) { note("check") }

    func load(_ response: ReceivedResponse, in session: Session) async throws(LupineError) -> ReceivedResponse {
      note("load")
      var response = response
      response.data = Data(text.utf8)
      return response
    }

    func conclude(_ outcome: RequestOutcome) async -> RequestOutcome {
      note("conclude")
      return outcome
    }
  }

  private func makeExecution(_ recorder: Recorder, in session: Session) -> RequestExecution {
    session.makeExecution(handler: recorder) { try session.makeOutgoingRequest(TestBed.url) }
  }

  @Test func `the methods are called in order, and the stages of a sink receive decoded bytes`() async throws {
    let session = try TestBed(.text("ifmmp").field(.contentEncoding, "rot")).session { $0.contentCoding(Rot("rot")) }
    let recorder = Recorder()
    let outcome = await makeExecution(recorder, in: session).outcome()
    #expect(outcome.error == nil)
    #expect(outcome.response?.data.isEmpty == true)
    #expect(recorder.text == "hello")
    #expect(recorder.calls == ["begin", "prepare", "decide", "check", "conclude"])
  }

  @Test func `a refused response is dropped, and the handler gives the bytes for its error`() async throws {
    let session = try TestBed(.text("gone", status: .gone)).session()
    let recorder = Recorder()
    let request = RunningRequest(makeExecution(recorder, in: session)).validate()
    let error = await request.execution.outcome().error
    #expect(error?.kind == .unacceptableStatusCode(410))
    #expect(error?.body == Data("gone".utf8))
    #expect(recorder.calls == ["begin", "prepare", "decide", "drop", "conclude"])
  }

  @Test func `retriers decide about a serializer, which reads the content that the handler loads`() async throws {
    let session = try TestBed(.text("a")).session { $0.retrier(OnceMore()) }
    let recorder = Recorder()
    let execution = makeExecution(recorder, in: session)
    let serializer = ClosureResponseSerializer { response in
      guard response.data.count > 1 else { throw LupineError(.serializationFailed, "The text is too short.") }
      return String(decoding: response.data, as: UTF8.self)
    }
    let serialization = execution.addSerializer(serializer)
    let outcome = await execution.outcome()
    // The stage of the recorder keeps the bytes of both attempts.
    #expect(try await serialization.result(of: outcome, in: execution).result.get() == "aa")
    let attempts = ["prepare", "decide", "check", "load", "drop", "prepare", "decide", "check", "load"]
    #expect(recorder.calls == ["begin"] + attempts + ["conclude"])
    let late = await execution.serialize(outcome, with: serializer)
    #expect(try late.result.get() == "aa")
    #expect(recorder.calls.last == "load")
  }

  @Test func `a request that is cancelled before it begins is concluded alone`() async throws {
    let recorder = Recorder()
    let execution = makeExecution(recorder, in: try TestBed().session())
    execution.cancel()
    #expect(await execution.outcome().error?.kind == .cancelled)
    #expect(execution.cancellation?.kind == .cancelled)
    #expect(recorder.calls == ["conclude"])
  }

  @Test func `the session waits for deliveries to handlers`() async throws {
    let session = try TestBed().session()
    let isDelivered = Atomic<Bool>(false)
    session.deliver { isDelivered.store(true, ordering: .relaxed) }
    await session.finishRequests()
    let wasDelivered = isDelivered.load(ordering: .relaxed)
    #expect(wasDelivered)
  }

  /// A serializer that replaces the message of each failure.
  private struct Explaining: ResponseSerializer, FailureExplaining {
    func serialize(_ response: ReceivedResponse) throws -> String { "" }

    func explained(_ error: LupineError) -> LupineError { LupineError(error.kind, "The article is gone.") }
  }

  @Test func `a serializer of the program's own explains the errors of its request`() async throws {
    let session = try TestBed(.text("gone", status: .gone)).session()
    let response = await session.request(TestBed.url).validate().serializingResponse(using: Explaining()).response
    #expect(response.error?.kind == .unacceptableStatusCode(410))
    #expect(response.error?.message == "The article is gone.")
  }

  @Test func `an execution serializes with the session's decoder`() async throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let session = try TestBed(.text("{\"first_name\":\"a\"}")).session { $0.decoder(decoder) }
    struct Person: Decodable, Sendable { let firstName: String }
    let execution = session.makeExecution { try session.makeOutgoingRequest(TestBed.url) }
    let (result, _) = await execution.serialize(
      await execution.outcome(), with: DecodableResponseSerializer(of: Person.self))
    #expect(try result.get().firstName == "a")
  }
}
