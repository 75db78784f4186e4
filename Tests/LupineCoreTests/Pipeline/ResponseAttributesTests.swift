import FoundationEssentials
import HTTPTypes
import LupineCoding
import LupineMock
import LupineStreams
import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

private enum CacheStatus: ResponseAttributeKey {
  case hit, miss
}

private enum Age: ResponseAttributeKey {
  typealias Value = Duration
}

/// The path of the request, as an attribute of its response.
private enum Path: ResponseAttributeKey {
  typealias Value = String
}

private struct MarkingLayer: ExchangeLayer {
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    var response = try await next(request, in: context)
    response.attributes[CacheStatus.self] = .miss
    response.attributes[Path.self] = request.url.path
    return response
  }
}

extension Session.Builder {
  fileprivate var marking: Self { exchangeLayer("marking") { MarkingLayer() } }
}

/// Records an attribute that a layer set, and adds another one.
private struct Aging: Interceptor {
  let seen: Notes<CacheStatus?>

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    var response = try await next(request)
    seen.add(response.attributes[CacheStatus.self])
    response.attributes[Age.self] = .seconds(3)
    return response
  }
}

/// Returns a response of its own, with an attribute.
private struct Answering: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    var response = TransportResponse(head: HTTPResponse(status: .ok), body: .complete(Data("kept".utf8)))
    response.attributes[CacheStatus.self] = .hit
    return response
  }
}

private struct AgeSerializer: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Duration? { response.attributes[Age.self] }
}

@Suite struct ResponseAttributesTests {
  @Test func `an attribute is set, changed and removed under its key alone`() {
    var attributes = ResponseAttributes()
    #expect(attributes.isEmpty)
    #expect(attributes[CacheStatus.self] == nil)
    attributes[CacheStatus.self] = .hit
    attributes[Age.self] = .seconds(1)
    let copy = attributes
    attributes[CacheStatus.self] = nil
    #expect(attributes[CacheStatus.self] == nil)
    #expect(attributes[Age.self] == .seconds(1))
    #expect(copy[CacheStatus.self] == .hit)
    attributes[Age.self] = nil
    #expect(attributes.isEmpty)
    #expect("\(copy)" == "2 values")
  }

  @Test func `the storage of a response without attributes is one machine word`() {
    #expect(MemoryLayout<ResponseAttributes>.size == MemoryLayout<Int>.size)
  }

  @Test func `attributes of layers and interceptors reach serializers and the program`() async throws {
    let seen = Notes<CacheStatus?>()
    let session = try TestBed().session { $0.marking.interceptor(Aging(seen: seen)) }
    let request = session.request(TestBed.url)
    #expect(request.responseAttributes.isEmpty)
    let response = await request.serializingResponse(using: AgeSerializer()).response.map { $0 ?? .zero }
    #expect(seen.all == [.miss])
    #expect(response.value == .seconds(3))
    #expect(response.attributes[CacheStatus.self] == .miss)
    #expect(response.attributes[Age.self] == .seconds(3))
    #expect(request.responseAttributes[Age.self] == .seconds(3))
  }

  @Test func `an interceptor's own answer has the attributes that it sets`() async throws {
    let session = try TestBed().session { $0.marking.interceptor(Answering()) }
    let response = await session.request(TestBed.url).serializingString().response
    #expect(response.value == "kept")
    #expect(response.attributes[CacheStatus.self] == .hit)
    #expect(response.attributes[Path.self] == nil)
  }

  @Test func `the attributes are those of the last response`() async throws {
    let bench = TestBed { mock in
      mock.stub(.get, "https://a.example/", .redirect(to: "/next"))
      mock.stub(.get, "https://a.example/next", .text("hello"))
    }
    let response = await (try bench.session { $0.marking }).request("https://a.example/").serializingData().response
    #expect(response.redirects.count == 1)
    #expect(response.attributes[Path.self] == "/next")
  }

  @Test func `a response that a validator refuses keeps its attributes`() async throws {
    let session = try TestBed(.status(.notFound)).session { $0.marking }
    let response = await session.request(TestBed.url).validate().serializingData().response
    #expect(response.error != nil)
    #expect(response.attributes[CacheStatus.self] == .miss)
  }

  @Test func `a response whose body breaks off keeps its attributes`() async throws {
    let reply = MockReply.text("hello").reset(afterBytes: 2)
    let session = try TestBed(reply).session { $0.marking }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.error?.kind == .connectionLost)
    #expect(response.response?.status == .ok)
    #expect(response.attributes[CacheStatus.self] == .miss)
  }

  @Test func `a failure before the head has no attributes`() async throws {
    let session = try TestBed(.failure(.connectionRefused)).session { $0.marking }
    let request = session.request(TestBed.url)
    let response = await request.serializingData().response
    #expect(response.attributes.isEmpty)
    #expect(request.responseAttributes.isEmpty)
  }

  @Test func `downloads and streams have the attributes`() async throws {
    let session = try TestBed(.text("a\nb\n")).session { $0.marking }
    let download = await session.download(TestBed.url).serializingData().response
    #expect(download.attributes[CacheStatus.self] == .miss)
    #expect(download.map { $0.count }.attributes[CacheStatus.self] == .miss)
    let stream = session.streamRequest(TestBed.url)
    let bytes = stream.serializingBytes()
    _ = try await bytes.head
    #expect(stream.responseAttributes[CacheStatus.self] == .miss)
    for try await _ in bytes {}
    #expect(stream.responseAttributes[CacheStatus.self] == .miss)
  }

  @Test func `a stream of events has the attributes of its connection`() async throws {
    let bench = TestBed(.text("data: a\n\n").field(.contentType, "text/event-stream"))
    let stream = try bench.session { $0.marking }.streamRequest(TestBed.url)
    for try await _ in stream.serializingEvents(reconnects: false) {
      #expect(stream.responseAttributes[CacheStatus.self] == .miss)
    }
  }
}
