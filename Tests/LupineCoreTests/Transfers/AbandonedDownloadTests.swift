import FoundationEssentials
import HTTPTypes
import LupineFixtures
import Testing

@testable import LupineCore
@testable import LupineTransfers
@testable import LupineSession

/// Downloads whose exchange ends before its body, while the transport still writes that body.
@Suite struct AbandonedDownloadTests {
  private let folder: TemporaryFolder
  private let writers = Notes<ResponseBodyWriter>()

  init() throws { folder = try TemporaryFolder() }

  /// A transport that writes two bytes of a body, and then ends the body or adds its writer to `writers`.
  ///
  /// The response for the path `/again` has a complete body.
  private func transport(_ fields: HTTPFields, isEnding: Bool) -> ClosureTransport {
    ClosureTransport { [writers] request, context throws(LupineError) in
      context.onCancel {}
      guard request.url.path != "/again" else { return try context.rest("0123", after: writers) }
      let (response, writer) = context.begin(200, fields)
      try writer.write("01")
      var metrics = TransferMetrics()
      metrics.bytesReceived = 2
      if isEnding { writer.finish(metrics: metrics) } else { writers.add(writer) }
      return response
    }
  }

  private func session(
    _ way: Giving.Way, _ fields: HTTPFields = [.eTag: "\"v1\""], isEnding: Bool = false
  ) throws -> Session {
    try Session.Builder().transport(transport(fields, isEnding: isEnding)).interceptor(Giving(way)).build()
  }

  private func response(_ session: Session) async -> DownloadResponse<URL> {
    await session.download(TestBed.url, to: .file(folder.file("a"))).serializingFile().response
  }

  @Test func `after its exchange was given up, nothing is written to a file that is closed by now`() async throws {
    let response = await self.response(try session(.throwing))
    #expect(response.error?.kind == .interceptionFailed)
    let writer = try #require(writers.all.first)
    #expect(throws: Never.self) { try writer.write("late") }
  }

  @Test func `nothing of the exchange before is written to the file of the one that took its place`() async throws {
    let response = await self.response(try session(.asking))
    #expect(response.error == nil)
    #expect(try folder.text("a") == "0123")
  }

  @Test(arguments: [[.eTag: "\"v1\""], [:]] as [HTTPFields])
  func `an interceptor's own response replaces a partial file`(fields: HTTPFields)
    async throws
  {
    let response = await self.response(try session(.answering, fields))
    #expect(response.error == nil)
    #expect(try folder.text("a") == "other")
    #expect(folder.names == ["a"])
  }

  @Test func `an interceptor's own response replaces the partial file of an earlier download`() async throws {
    let data = try #require(await self.response(try session(.throwing)).resumeData)
    let resumed = try session(.answeringAtOnce).download(resumingWith: data)
    let response = await resumed.serializingFile().response
    #expect(response.error == nil)
    #expect(try folder.text("a") == "other")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [(.answering, [2, 0]), (.passingOn, [2]), (.asking, [2, 0])] as [(Giving.Way, [Int64])])
  private func `the metrics of an exchange count once, although its response was replaced`(
    way: Giving.Way, received: [Int64]
  ) async throws {
    let request = try session(way, isEnding: true).request(TestBed.url)
    #expect(await request.serializingData().response.error == nil)
    #expect(request.allMetrics.map(\.bytesReceived) == received)
  }

  @Test func `a body that begins after the end of its exchange is written nowhere`() throws {
    let control = ExchangeControl()
    let path = try folder.write("", to: "b")
    let file = try #require(PartialFile.reopen(path, length: nil))
    control.finish()
    let sink = BodySink.file(descriptor: file.descriptor)
    let context = TransferContext(id: RequestID(1), control: control) { _ in sink }
    let (_, writer) = context.begin()
    try writer.write("late")
    #expect(file.length == 0)
  }

  @Test func `the rest of a body that has ended can still be read`() async throws {
    let exchange = ExchangeControl().beginBody(.stream(window: 10), resume: {})
    let writer = ResponseBodyWriter(exchange: exchange)
    try writer.write("piece")
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    exchange.finish()
    let piece = try await ResponseBody(exchange: exchange).next()
    #expect(piece == Array("piece".utf8))
  }
}

/// Discards the response of an exchange, in one of several ways.
private struct Giving: Interceptor {
  enum Way { case throwing, asking, answering, answeringAtOnce, passingOn }
  struct Failure: Error {}

  let way: Way

  init(_ way: Way) { self.way = way }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    if way == .answeringAtOnce { return own(TransferMetrics()) }
    let response = try await next(request)
    switch way {
    case .answering, .answeringAtOnce: return own(TransferMetrics())
    case .passingOn: return own(try await response.body.end().metrics)
    case .throwing: throw Failure()
    case .asking:
      var again = request
      again.url = try HTTPURL("https://api.example.com/again")
      return try await next(again)
    }
  }

  private func own(_ metrics: TransferMetrics) -> TransportResponse {
    TransportResponse(head: HTTPResponse(status: .ok), body: .complete(Data("other".utf8), metrics: metrics))
  }
}

extension ResponseBodyWriter {
  fileprivate func write(_ text: String) throws(LupineError) {
    var bytes = Array(text.utf8)
    try write(&bytes)
  }
}

extension TransferContext {
  /// A complete response; the writers of earlier responses write before it ends.
  fileprivate func rest(_ text: String, after others: Notes<ResponseBodyWriter>) throws(LupineError)
    -> TransportResponse
  {
    let (response, writer) = begin()
    try writer.write(text)
    for other in others.all { try other.write("XXXX") }
    writer.finish(metrics: TransferMetrics())
    return response
  }
}
