import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

/// The mock as the transport of a real session.
@Suite struct SessionTests {
  private struct User: Codable, Sendable { var name: String }

  @Test func `a session works offline`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
    mock.stub(.post, "https://api.example.com/v1/users") { _ in .status(.created) }
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    let user = try await session.request("https://api.example.com/v1/users/42").serializingDecodable(User.self).value
    _ = await session.request("https://api.example.com/v1/users", method: .post).serializingData().response
    #expect(user.name == "mattt")
    #expect(mock.requests.count == 2)
    try mock.verify()
  }

  @Test func `a sequence is retried on virtual time`() async throws {
    let clock = ImmediateClock()
    let mock = MockTransport()
    mock.stub(.get, "/", count: .times(2), .sequence([.status(.serviceUnavailable), .text("up")]))
    let session = try Session.Builder().transport(mock).clock(clock).retrier(.backoff(limit: 3)).build()
    let text = try await session.request("https://example.com/").validate().serializingString().value
    #expect(text == "up")
    #expect(mock.requests.map(\.attempt) == [1, 2])
    #expect(clock.now.offset > .zero)
    try mock.verify()
  }

  @Test(arguments: [MockReply.stall, .text("abc").stall(afterBytes: 1)])
  func `a stall ends with the idle timeout, at once, and the clock stays there`(reply: MockReply) async throws {
    let (mock, clock) = (MockTransport(), ImmediateClock())
    mock.stub(.get, "/", reply)
    let session = try Session.Builder().transport(mock).clock(clock).timeouts(idle: .seconds(3)).build()
    let response = await session.request("https://example.com/").serializingData().response
    #expect(response.error?.kind == .timedOut(.idle))
    #expect(clock.now == VirtualInstant().advanced(by: .seconds(3)))
  }

  @Test func `a redirect is followed`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/old", .redirect(to: "/new"))
    mock.stub(.get, "https://example.com/new", .text("here"))
    let session = try Session.Builder().transport(mock).build()
    #expect(try await session.request("https://example.com/old").serializingString().value == "here")
  }

  @Test func `pins are tested offline`() async throws {
    struct Refusal: Error {}
    let mock = MockTransport()
    mock.stub(.get, "/", .text("in"))
    mock.presents(chain: [Data([1])], for: "good.example.com")
    mock.presents(chain: [Data([2])], for: "bad.example.com")
    let pinned = ClosureTrustEvaluator { trust in
      guard trust.presentedChain == [Data([1])] else { throw Refusal() }
    }
    let session = try Session.Builder().transport(mock).trust(["*.example.com": pinned]).build()
    #expect(try await session.request("https://good.example.com/").serializingString().value == "in")
    let refused = await session.request("https://bad.example.com/").serializingString().response
    #expect(refused.error?.kind == .certificateRejected)
  }

  @Test func `a request without a stub fails with the stub to write`() async throws {
    let session = try Session.Builder().transport(MockTransport()).build()
    let response = await session.request("https://example.com/a").serializingData().response
    #expect(response.error?.kind == .unmatchedRequest)
    #expect(response.error?.message.contains(#"mock.stub(.get, "https://example.com/a", .status(.ok))"#) == true)
  }
}
