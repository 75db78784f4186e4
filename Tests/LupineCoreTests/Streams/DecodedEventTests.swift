import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import Testing

/// Events whose data are values, up to a sentinel.
@Suite struct DecodedEventTests {
  private struct Piece: Decodable, Equatable {
    var text: String
  }

  /// Returns the values of the events, and the error that ended the sequence.
  private func read(
    _ lines: [String], until sentinel: String?
  ) async throws -> (texts: [String], error: LupineError?, mock: MockTransport) {
    let bench = TestBed(
      .text(lines.map { "data: \($0)\n\n" }.joined()).field("Content-Type", "text/event-stream"))
    let events = try bench.session().streamRequest(TestBed.url, method: .post).serializingEvents()
    var texts: [String] = []
    do {
      for try await piece in events.decoded(as: Piece.self, until: sentinel) { texts.append(piece.text) }
      return (texts, nil, bench.mock)
    } catch {
      return (texts, error, bench.mock)
    }
  }

  @Test func `values end at the sentinel, whatever follows it`() async throws {
    let found = try await read([#"{"text":"a"}"#, #"{"text":"b"}"#, "[DONE]", "no JSON"], until: "[DONE]")
    #expect(found.texts == ["a", "b"])
    #expect(found.error == nil)
    #expect(found.mock.requests.count == 1)
  }

  @Test func `without a sentinel the values end with the events`() async throws {
    let found = try await read([#"{"text":"a"}"#], until: nil)
    #expect(found.texts == ["a"])
    #expect(found.error == nil)
  }

  @Test func `events that end before the sentinel are not complete`() async throws {
    let found = try await read([#"{"text":"a"}"#], until: "[DONE]")
    #expect(found.texts == ["a"])
    #expect(found.error?.kind == .connectionLost)
    #expect(found.error?.message.contains("“[DONE]”") == true)
  }

  @Test func `data that cannot be decoded end the sequence with their error`() async throws {
    let found = try await read([#"{"text":"a"}"#, "no JSON", #"{"text":"b"}"#], until: "[DONE]")
    #expect(found.texts == ["a"])
    #expect(found.error?.kind == .serializationFailed)
  }

  @Test func `after its end the sequence stays ended`() async throws {
    let bench = TestBed(.text("data: [DONE]\n\ndata: {}\n\n").field("Content-Type", "text/event-stream"))
    let events = try bench.session().streamRequest(TestBed.url).serializingEvents()
    var values = events.decoded(as: Piece.self, until: "[DONE]").makeAsyncIterator()
    for _ in 0..<3 { #expect(try await values.next() == nil) }
    #expect(bench.mock.requests.count == 1)
  }
}
