import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineStreams
import Testing

/// Streams whose response follows a challenge; the session discards the body of the challenge.
@Suite struct StreamChallengeTests {
  private let events = EventLog()

  private func text(after page: Int, limits: Limits = Limits()) async throws -> String {
    let mock = MockTransport()
    let challenge = MockReply.data(Data(count: page), status: .unauthorized)
      .field(.wwwAuthenticate, "Basic realm=\"a\"")
    mock.stub(.get, "/a", .sequence([challenge, .text("hello")]))
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").limits(limits)
      .monitor(events).build()
    var text = ""
    let request = session.streamRequest("a").authenticate(username: "u", password: "p")
    for try await piece in request.serializingStrings() { text += piece }
    return text
  }

  @Test(arguments: [0, 5, 2 << 20]) func `a stream begins after a challenge, however long its page`(page: Int)
    async throws
  {
    #expect(try await text(after: page) == "hello")
  }

  @Test func `a body over the limit of discarded bodies is not read to its end`() async throws {
    var limits = Limits()
    limits.discardedBody = 10
    let text = try await text(after: 2 << 20, limits: limits)
    #expect(text == "hello")
    let ends = events.all.compactMap { event -> String? in
      switch event.kind {
      case .failed(let error): error.message
      case .received: "received"
      default: nil
      }
    }
    // The event for the end of the stream can follow after the reader has taken the last piece.
    #expect(ends.first?.contains("the limit discardedBody") == true)
  }
}
