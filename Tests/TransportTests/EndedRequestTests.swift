import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import LupineStreams
import LupineTesting
import LupineTransfers
import PeerSupport
import Testing
import TransportSupport

/// Requests over real connections that the client ends after the head and three bytes of the body.
@Suite(.overEachTransport) struct EndedRequestTests {
  enum Way: CaseIterable, Sendable {
    case request, total, attempt, shutdown

    var kind: LupineError.Kind {
      switch self {
      case .request: .cancelled
      case .total: .timedOut(.total)
      case .attempt: .timedOut(.attempt)
      case .shutdown: .sessionShutDown
      }
    }
  }

  enum Form: CaseIterable, Sendable { case data, upload, download }

  @Test(arguments: Way.allCases, Form.allCases)
  func `an ended request has the head and the metrics`(way: Way, form: Form) async throws {
    let server = try ScriptedServer(always: .stall(afterBytes: 3))
    let world = try World(way)
    let (response, metrics, error) = await world.end(form, server.url, way)
    #expect(error?.kind == way.kind)
    #expect(response?.status == .ok)
    #expect(error?.response?.status == .ok)
    Self.expectMeasured(metrics, .http1_1)
    Self.expectMeasured(error?.metrics, .http1_1)
    try await server.waitForOpenConnections(0)
    await world.transport.shutdown()
  }

  @Test(arguments: Way.allCases)
  func `an ended request over HTTP2 has the head and the metrics`(way: Way) async throws {
    let peer = try HTTP2Peer { stream, _ in [.send(.head(stream)), .send(.data(stream, "hel", ends: false))] }
    defer { peer.stop() }
    let world = try World(way)
    let (response, metrics, error) = await world.end(.data, peer.url, way, version: .http2)
    #expect(error?.kind == way.kind)
    #expect(response?.status == .ok)
    #expect(error?.response?.status == .ok)
    Self.expectMeasured(metrics, .http2)
    Self.expectMeasured(error?.metrics, .http2)
    await world.transport.shutdown()
  }

  @Test func `a response that is refused at its head has cost something`() async throws {
    let server = try ScriptedServer(always: .stall(afterBytes: 3))
    let world = try World(.request)
    let response = await world.session.request(server.url).onHTTPResponse { _ in .cancel }.serializingData().response
    #expect(response.error?.kind == .cancelled)
    #expect(response.response?.status == .ok)
    #expect(response.metrics.firstByte != nil)
    #expect(response.error?.metrics?.remoteAddress == "127.0.0.1:\(server.port)")
    await world.transport.shutdown()
  }

  @Test(arguments: [true, false])
  func `a stream that ends early has the head and the metrics`(isTooLong: Bool) async throws {
    let server = try ScriptedServer(always: .stall(afterBytes: 3))
    let world = try World(.request)
    let request = world.session.streamRequest(server.url)
    let completion = await withCheckedContinuation { done in
      request.responseStream(limit: isTooLong ? 2 : nil) { stream in
        stream.cancel()
        if let completion = stream.completion { done.resume(returning: completion) }
      }
    }
    #expect(completion.error?.kind == (isTooLong ? .limitExceeded(.sink) : .cancelled))
    #expect(completion.response?.status == .ok)
    #expect(completion.error?.response?.status == .ok)
    Self.expectMeasured(completion.metrics, .http1_1)
    Self.expectMeasured(completion.error?.metrics, .http1_1)
    await world.transport.shutdown()
  }

  private static func expectMeasured(
    _ metrics: TransferMetrics?, _ version: ProtocolVersion, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(metrics?.bytesReceived == 3, sourceLocation: location)
    #expect(metrics?.version == version, sourceLocation: location)
    #expect(metrics?.firstByte != nil, sourceLocation: location)
    #expect(metrics.map { $0.total > .zero } == true, sourceLocation: location)
  }
}

/// A session over the current transport and a clock that the test advances.
private struct World {
  let clock = TestClock()
  let transport = TestTransport.make()
  let session: Session
  private let folder: TemporaryFolder

  init(_ way: EndedRequestTests.Way) throws {
    folder = try TemporaryFolder()
    let bound = Duration.seconds(60)
    session = try Session.Builder().transport(transport).clock(clock)
      .timeouts(idle: nil, total: way == .total ? bound : nil, attempt: way == .attempt ? bound : nil).build()
  }

  /// Makes a request, and ends it after the third byte of its body.
  func end(
    _ form: EndedRequestTests.Form, _ url: String, _ way: EndedRequestTests.Way, version: ProtocolVersion? = nil
  ) async -> (HTTPResponse?, TransferMetrics, LupineError?) {
    let arrived = Gate()
    switch form {
    case .download:
      let request = session.download(url, to: .file(folder.file("a")))
      open(arrived, request, version)
      async let response = request.serializingFile().response
      await end(request, way, after: arrived)
      return await (response.response, response.metrics, response.error)
    case .upload:
      let request = session.upload(Data("hello".utf8), to: url)
      open(arrived, request, version)
      async let response = request.serializingData().response
      await end(request, way, after: arrived)
      return await (response.response, response.metrics, response.error)
    case .data:
      let request = session.request(url)
      open(arrived, request, version)
      async let response = request.serializingData().response
      await end(request, way, after: arrived)
      return await (response.response, response.metrics, response.error)
    }
  }

  private func open(_ arrived: Gate, _ request: some SessionRequest, _ version: ProtocolVersion?) {
    request.options { $0.version = version }
    request.downloadProgress { if $0.completed == 3 { arrived.open() } }
  }

  private func end(_ request: some SessionRequest, _ way: EndedRequestTests.Way, after arrived: Gate) async {
    try? await arrived.opened()
    switch way {
    case .request: request.cancel()
    case .shutdown: await session.shutdown()
    case .total, .attempt: clock.advance(by: .seconds(60))
    }
  }
}
