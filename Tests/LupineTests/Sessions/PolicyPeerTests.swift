import Foundation
import Lupine
import LupineFixtures
import Synchronization
import Testing
import TransportSupport

/// Retries, token refreshes and hedges with real servers.
@Suite(.besidePeers, .overEachTransport) struct PolicyPeerTests {
  /// Counts exchanges, hedges and refreshes, and keeps the delays before retries.
  private final class Log: EventMonitor {
    private let state = Mutex((exchanges: 0, hedges: 0, delays: [Duration]()))

    var exchanges: Int { state.withLock { $0.exchanges } }
    var hedges: Int { state.withLock { $0.hedges } }
    var delays: [Duration] { state.withLock { $0.delays } }

    func receive(_ event: SessionEvent) {
      state.withLock { state in
        switch event.kind {
        case .sending: state.exchanges += 1
        case .decided(policy: "hedging", reason: _): state.hedges += 1
        case .retrying(after: let delay?, reason: _): state.delays.append(delay)
        default: break
        }
      }
    }
  }

  @Test(arguments: [(HTTPRequest.Method.get, 503, 3), (.post, 503, 1), (.get, 501, 1), (.put, 429, 3)])
  func `httpbin's statuses are retried up to the limit of the policy`(
    method: HTTPRequest.Method, status: Int, exchanges: Int
  ) async throws {
    let log = Log()
    let session = try Peer.httpbin.session { $0.monitor(log).retrier(RetryPolicy(limit: 2, scale: 0.001)) }
    let response = await session.request("status/\(status)", method: method).serializingData().response
    #expect(response.response?.status.code == status)
    #expect(log.exchanges == exchanges)
  }

  @Test func `nginx's Retry-After is respected, and one that is too long ends the retries`() async throws {
    let log = Log()
    let session = try Peer.nginx.session { $0.monitor(log).retrier(.backoff(limit: 1)) }
    #expect(await session.request("closed").serializingData().response.response?.status == .serviceUnavailable)
    #expect(log.exchanges == 1)
    #expect(log.delays.isEmpty)
    #expect(await session.request("busy").serializingData().response.response?.status == .serviceUnavailable)
    #expect(log.exchanges == 3)
    #expect(log.delays == [.seconds(1)])
  }

  private struct Token: AuthenticationCredential {
    var text: String?
  }

  /// Refreshes a token with a UUID from httpbin.
  private struct Authority: Authenticator {
    func apply(_ token: Token, to request: inout OutgoingRequest) {
      if let text = token.text { request.headers[.authorization] = "Bearer \(text)" }
    }

    func refresh(_ token: Token, for session: Session) async throws -> Token {
      let answer = try await session.request("uuid").validate().serializingJSON().value
      return Token(text: answer["uuid"]?.string)
    }
  }

  @Test func `requests that httpbin refuses at once are sent again after one refresh`() async throws {
    let log = Log()
    let interceptor = AuthenticationInterceptor(Authority(), credential: Token())
    let session = try Peer.httpbin.session { $0.monitor(log).install(interceptor) }
    let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<10 {
        group.addTask { try await session.request("bearer").validate().serializingJSON().value["token"]?.string }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens == Array(repeating: try #require(interceptor.credential?.text), count: 10))
    // Each request is refused at most once, and one more exchange refreshes the token.
    #expect((12...21).contains(log.exchanges))
    #expect(try await session.request("bearer").validate().serializingJSON().value["authenticated"] == true)
  }

  /// The test runs in a process of its own, because it counts the open descriptors of the process.
  @Test func `a hedge that httpbin answers too late is cancelled, and leaves no descriptor`() async throws {
    await #expect(processExitsWith: .success) { try await PolicyPeerTests.hedge() }
  }

  private static func hedge() async throws {
    let log = Log()
    let session = try Peer.httpbin.session { $0.monitor(log).install(.hedging(after: .milliseconds(200))) }
    // A POST is not hedged, however slow the machine is.
    #expect(await session.request("post", method: .post).serializingData().response.error == nil)
    let before = try ProcessResources().descriptors
    let response = await session.request("delay/2").serializingData().response
    #expect(response.response?.status == .ok)
    #expect(log.exchanges == 2)
    #expect(log.hedges == 1)
    // The transport has released the cancelled exchange when the next response arrives.
    #expect(await session.request("post", method: .post).serializingData().response.error == nil)
    #expect(await session.connectionPool() == ConnectionPoolSnapshot(open: 1, idle: 1))
    #expect(try ProcessResources().descriptors == before)
  }
}
