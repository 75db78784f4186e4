import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization
import Testing

@Suite struct MockTransportTrustTests {
  private final class Recorder: TrustEvaluator {
    private let state = Mutex<[ServerTrust]>([])
    let refuses: Bool

    init(refuses: Bool = false) { self.refuses = refuses }

    var seen: [ServerTrust] { state.withLock { $0 } }

    func evaluate(_ trust: ServerTrust) throws {
      state.withLock { $0.append(trust) }
      if refuses { throw Refusal() }
    }
  }

  private struct Refusal: Error {}

  @Test func `the evaluator judges the chain that is presented`() async throws {
    let judge = Recorder()
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    mock.presents(chain: [Data([1]), Data([2])], for: "Example.com", stapledOCSPResponse: Data([3]))
    let now: @Sendable () -> Date = { Date(timeIntervalSince1970: 1_700_000_000) }
    _ = try await Exchange(now: now, evaluator: judge).response(from: mock)
    let trust = try #require(judge.seen.first)
    #expect(trust.host == "example.com")
    #expect(trust.port == 443)
    #expect(trust.presentedChain == [Data([1]), Data([2])])
    #expect(trust.stapledOCSPResponse == Data([3]))
    #expect(trust.now == Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test func `a refusal ends the request before the server sees it`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    mock.presents(chain: [Data([1])], for: "example.com")
    let failure = await Exchange(evaluator: Recorder(refuses: true)).failure(from: mock)
    #expect(failure?.kind == .certificateRejected)
    #expect(failure?.underlying is Refusal)
    #expect(mock.requests.isEmpty)
  }

  @Test func `an evaluator without a chain refuses, and the error shows how to present one`() async throws {
    let judge = Recorder()
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    let failure = await Exchange(evaluator: judge).failure(from: mock)
    #expect(failure?.kind == .certificateRejected)
    #expect(failure?.message.contains(#"mock.presents(chain: [certificateInDER], for: "example.com")"#) == true)
    #expect(judge.seen.isEmpty)
  }

  @Test func `a chain that does not verify is refused without an evaluator, too`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    mock.presents(chain: [Data([1])], for: "example.com", verificationFailure: "it has expired")
    let failure = await Exchange().failure(from: mock)
    #expect(failure?.kind == .certificateRejected)
    #expect(failure?.message.contains("it has expired") == true)
    #expect(mock.requests.isEmpty)
  }

  @Test func `certificate authorities are not ignored`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("in"))
    let session = try Session.Builder().transport(mock).certificateAuthorities("/roots.pem").build()
    let refused = await session.request("https://example.com/").serializingString().response.error
    #expect(refused?.kind == .certificateRejected)
    #expect(refused?.message.contains("The session names certificate authorities") == true)
    #expect(refused?.message.contains(#"mock.presents(chain: [certificateInDER], for: "example.com")"#) == true)
    mock.presents(chain: [Data([1])], for: "example.com")
    #expect(try await session.request("https://example.com/").serializingString().value == "in")
    #expect(try await session.request("http://example.com/").serializingString().value == "in")
  }

  @Test func `plain HTTP asks no evaluator`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    #expect(await Exchange(url: "http://example.com/", evaluator: Recorder()).failure(from: mock) == nil)
  }
}
