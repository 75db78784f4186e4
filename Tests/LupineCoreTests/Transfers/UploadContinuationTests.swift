import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

/// Layers that continue uploads, and the progress that a program receives.
@Suite struct UploadContinuationTests {
  private let mock = MockTransport()
  private let notes = Notes<TransferProgress>()

  init() { mock.stub(.patch, "/up", .text("received")) }

  private func upload(
    _ body: RequestBody,
    by send:
      @escaping @Sendable (OutgoingRequest, TransferContext, NextExchange) async throws(LupineError)
      -> TransportResponse
  ) async throws {
    let mock = mock
    let session = try Session.Builder().transport(mock).clock(ImmediateClock())
      .exchangeLayer("parts") { ClosureLayer(send: send) }.build()
    _ = try await session.upload(body, to: "https://example.com/up", method: .patch)
      .uploadProgress { [notes] in notes.add($0) }.serializingData().value
    #expect(notes.all.allSatisfy { $0.total == 10_000 })
    #expect(zip(notes.all, notes.all.dropFirst()).allSatisfy { $0.completed < $1.completed })
    #expect(notes.all.last?.completed == 10_000)
  }

  @Test(arguments: [Int64(4_000), 10_000])
  func `a resumed upload is counted from its offset`(offset: Int64) async throws {
    try await upload(.bytes(Data(count: 10_000))) { (request, context, next) throws(LupineError) in
      var rest = request
      rest.body = try request.body.suffix(from: offset)
      return try await next(rest, in: context.continuingUpload(at: offset))
    }
    #expect(mock.requests.map(\.body.count) == [10_000 - Int(offset)])
    #expect(notes.all.allSatisfy { $0.completed >= offset })
  }

  @Test func `an upload in several exchanges is counted as one`() async throws {
    try await upload(.bytes(Data(count: 10_000))) { (request, context, next) throws(LupineError) in
      for start in [0, 3_000] {
        let control = context.control.branch()
        var part = request
        part.body = .bytes(Data(count: 3_000))
        let own = context.branch(control).continuingUpload(at: Int64(start), of: 10_000)
        let response = try await next(part, in: own)
        response.body.open(.discard(limit: 1_000))
        _ = try await response.body.end()
        control.finish(after: response.body)
      }
      var last = request
      last.body = try request.body.suffix(from: 6_000)
      return try await next(last, in: context.continuingUpload(at: 6_000))
    }
    #expect(mock.requests.map(\.body.count) == [3_000, 3_000, 4_000])
  }

  @Test func `an upload that begins at a smaller offset again is not counted back`() async throws {
    try await upload(.bytes(Data(count: 10_000))) { (request, context, next) throws(LupineError) in
      for offset: Int64 in [8_000, -5] {
        var part = request
        part.body = try request.body.suffix(from: max(0, offset))
        let control = context.control.branch()
        let response = try await next(part, in: context.branch(control).continuingUpload(at: offset))
        if offset < 0 {
          control.choose()
          return response
        }
        response.body.open(.discard(limit: 1_000))
        _ = try await response.body.end()
        control.finish(after: response.body)
      }
      throw LupineError(.other, "unreachable")
    }
  }
}

private struct ClosureLayer: ExchangeLayer {
  let send: @Sendable (OutgoingRequest, TransferContext, NextExchange) async throws(LupineError) -> TransportResponse

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    try await send(request, context, next)
  }
}
