import FoundationEssentials
import Lupine
import LupineMock
import Synchronization
import Testing

@Suite struct RefreshTests {
  /// Sends 100 concurrent requests to a server that accepts only the newest token, each with another delay.
  private static func storm(
    _ world: Simulation, failing: Bool = false
  ) async throws -> (errors: [LupineError], refreshes: Int, requests: Int) {
    let server = TokenServer(failing: failing)
    let mock = MockTransport()
    mock.stub(.get, "/{number}") { request in
      let isKnown = request.headers[.authorization] == "Bearer new"
      let delay = Duration.milliseconds(Int64(request.variables["number"] ?? "") ?? 0)
      return (isKnown ? MockReply.text("ok") : .challenge("Bearer")).delay(delay * (isKnown ? 1 : 10))
    }
    let session = try Session.Builder().transport(mock).baseURL("https://a.example.com")
      .install(AuthenticationInterceptor(server, credential: OldToken(text: "old"))).build()
    let errors = await withTaskGroup(of: LupineError?.self) { group in
      for number in 0..<100 {
        group.addTask { await session.request("\(number)").validate().serializingData().response.error }
      }
      return await group.reduce(into: [LupineError]()) { errors, error in error.map { errors.append($0) } }
    }
    return (errors, server.count, mock.requests.count)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a hundred refusals at once give one refresh, also those that arrive after it`(seed: UInt64) async throws {
    let ended = try await withSimulation(seed: seed) { try await Self.storm($0) }
    #expect(ended.errors.isEmpty)
    #expect(ended.refreshes == 1)
    // Only refused requests are sent again; a request that begins during the refresh waits for the new token.
    #expect(ended.requests <= 200)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a refresh that fails, fails every request once`(seed: UInt64) async throws {
    let ended = try await withSimulation(seed: seed) { try await Self.storm($0, failing: true) }
    #expect(ended.errors.count == 100)
    #expect(ended.errors.allSatisfy { $0.kind == .refreshFailed })
    #expect(ended.refreshes == 1)
    // Requests that begin during the refresh are not sent.
    #expect(ended.requests <= 100)
  }
}

struct OldToken: AuthenticationCredential {
  let text: String
}

final class TokenServer: Authenticator {
  private let state = Mutex(0)
  private let failing: Bool

  init(failing: Bool = false) { self.failing = failing }

  var count: Int { state.withLock { $0 } }

  func apply(_ credential: OldToken, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.text)"
  }

  func refresh(_ credential: OldToken, for session: Session) async throws -> OldToken {
    state.withLock { $0 += 1 }
    try await Simulation.current?.sleep(for: .milliseconds(300))
    if failing { throw LupineError(.connectionRefused, "The token server is away.") }
    return OldToken(text: "new")
  }
}
