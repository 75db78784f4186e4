import FoundationEssentials
import HTTPTypes
import LupineFixtures
import Testing

@testable import LupineCore

/// Downloads whose exchange is given up before its body has ended, and whose transport has not heard of it yet.
@Suite struct AbandonedDownloadTests {
  private let folder: TemporaryFolder
  private let writers = Notes<IncomingBodyWriter>()

  init() throws { folder = try TemporaryFolder() }

  /// A transport whose bodies are for the test to write and to end.
  private var transport: ClosureTransport {
    ClosureTransport { [writers] request, context throws(LupineError) in
      context.onCancel {}
      guard request.url.path != "/again" else { return try context.rest("0123", after: writers) }
      let (response, writer) = context.begin(200, [.eTag: "\"v1\""])
      try writer.write("01")
      writers.add(writer)
      return response
    }
  }

  private func response(of interceptor: some Interceptor) async throws -> DownloadResponse<URL> {
    let session = try Session.Builder().transport(transport).interceptor(interceptor).build()
    return await session.download(Bench.url, to: .file(folder.file("a"))).serializingFile().response
  }

  @Test func `after its exchange was given up, nothing is written to a file that is closed by now`() async throws {
    let response = try await response(of: Giving(.throwing))
    #expect(response.error?.kind == .interceptionFailed)
    let writer = try #require(writers.all.first)
    #expect(throws: Never.self) { try writer.write("late") }
  }

  @Test func `nothing of the exchange before is written to the file of the one that took its place`() async throws {
    let response = try await response(of: Giving(.asking))
    #expect(response.error == nil)
    #expect(try folder.text("a") == "0123")
  }

  @Test func `a body that begins after the end of its exchange is written nowhere`() throws {
    let control = TransferControl()
    let path = try folder.write("", to: "b")
    let file = try #require(PartialFile.reopen(path, length: nil))
    control.finish()
    let sink = BodySink.file(descriptor: file.descriptor)
    let context = TransferContext(id: RequestID(1), control: control) { _ in sink }
    let (_, writer) = context.begin()
    try writer.write("late")
    #expect(file.length == 0)
  }

  @Test func `what waits of a body that has ended may be taken after the end of its exchange`() async throws {
    let control = TransferControl()
    let context = TransferContext(id: RequestID(1), control: control) { _ in .stream(window: 10) }
    let (response, writer) = context.begin()
    try writer.write("piece")
    writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
    control.finish()
    #expect(try await response.body.next() == Array("piece".utf8))
  }
}

/// Gives up the response that it has asked for.
private struct Giving: Interceptor {
  enum Way { case throwing, asking }
  struct Failure: Error {}

  let way: Way

  init(_ way: Way) { self.way = way }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext, next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    _ = try await next(request)
    guard way == .asking else { throw Failure() }
    var again = request
    again.url = try HTTPURL("https://api.example.com/again")
    return try await next(again)
  }
}

extension IncomingBodyWriter {
  fileprivate func write(_ text: String) throws(LupineError) {
    var bytes = Array(text.utf8)
    try write(&bytes)
  }
}

extension TransferContext {
  /// A whole response, in whose course those before it still write.
  fileprivate func rest(_ text: String, after others: Notes<IncomingBodyWriter>) throws(LupineError)
    -> TransportResponse
  {
    let (response, writer) = begin()
    try writer.write(text)
    for other in others.all { try other.write("XXXX") }
    writer.finish(metrics: TransferMetrics())
    return response
  }
}
