import Foundation
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Synchronization
import Testing

@testable import LupineTransferQueue

/// The effect of each property of a profile on the session that `build()` makes.
@Suite(.timeLimit(.minutes(1))) struct ProfileEffectTests {
  private let mock = MockTransport()
  private let noting = NotingTransport()
  private let clock = ImmediateClock()

  init() {
    mock.stub(.get, "/api/a", .data(Data("x".utf8)))
    mock.stub(.get, "/busy", .status(.serviceUnavailable))
    mock.stub(.get, "/moved", .redirect(to: "/api/a"))
    mock.stub(.get, "/stalled", .data(Data("x".utf8)).stall(afterBytes: 0))
  }

  private func session(_ change: (inout TransferQueue.Profile) -> Void) throws -> Session {
    var profile = TransferQueue.Profile()
    change(&profile)
    return try Session.Builder(
      profile, transports: ["mock": mock, "noting": noting], defaultTransport: "mock",
      pinning: { PinnedTrust(pins: $0) }
    ).clock(clock).build()
  }

  private func get(_ url: String, _ session: Session) async -> DataResponse<Data> {
    await session.request(url).serializingData().response
  }

  /// The context of a request to a host over the transport that notes it.
  private func context(_ url: String, _ change: (inout TransferQueue.Profile) -> Void) async throws -> TransferContext {
    let session = try session { profile in
      profile.transport = "noting"
      change(&profile)
    }
    _ = await get(url, session)
    return try #require(noting.contexts.withLock { $0.last })
  }

  @Test func `the base URL and the fields are those of the profile`() async throws {
    let session = try session { profile in
      profile.baseURL = "https://example.com/api"
      profile.headers["X-Trace"] = "1"
    }
    #expect(await get("a", session).error == nil)
    #expect(mock.requests.map(\.url.string) == ["https://example.com/api/a"])
    #expect(mock.requests.first?.headers[.init("X-Trace")!] == "1")
  }

  @Test func `the transport and the roots are those of the profile`() async throws {
    let context = try await context("https://example.com/") { profile in
      profile.roots = "/etc/roots.pem"
      profile.additionalRoots = "/etc/more.pem"
    }
    #expect(mock.requests.isEmpty)
    #expect(context.connectionKey.certificateAuthorities == "/etc/roots.pem")
    #expect(context.connectionKey.additionalCertificateAuthorities == "/etc/more.pem")
  }

  @Test func `the pins judge the hosts that they name`() async throws {
    let pins = ["example.com": ["sha256/AAAA", "sha256/BBBB"], "*.example.org": ["sha256/CCCC"]]
    for (host, expected) in [("example.com", pins["example.com"]), ("a.example.org", ["sha256/CCCC"]), ("b.com", nil)] {
      let context = try await context("https://\(host)/") { $0.pins = pins }
      #expect((context.evaluator as? PinnedTrust)?.pins == expected)
    }
  }

  @Test func `the addresses and the timeout of a connection are those of the profile`() async throws {
    let context = try await context("https://example.com/") { profile in
      profile.connectTimeout = 2.5
      profile.networkPolicy = .init(.publicInternetOnly, allowing: ["10.20.0.0/16"])
    }
    #expect(context.connectTimeout == .seconds(2.5))
    #expect(context.connectionKey.networkPolicy == .publicInternetOnly.allowing("10.20.0.0/16"))
    let other = try await self.context("https://example.com/") { _ in }
    #expect(other.connectTimeout == Timeouts().connect)
    #expect(other.connectionKey == ConnectionKey())
  }

  @Test(arguments: [LupineError.Timeout.idle, .total, .attempt])
  func `a response that stalls fails after the timeout of the profile`(timeout: LupineError.Timeout) async throws {
    let session = try session { profile in
      switch timeout {
      case .idle: profile.idleTimeout = 2.5
      case .total: profile.totalTimeout = 2.5
      default: profile.attemptTimeout = 2.5
      }
    }
    #expect(await get("https://example.com/stalled", session).error?.kind == .timedOut(timeout))
    #expect(clock.now == VirtualInstant().advanced(by: .seconds(2.5)))
  }

  @Test(arguments: [nil, 0, 3]) func `a request is repeated as often as the profile says`(retries: Int?) async throws {
    let session = try session { $0.retries = retries }
    _ = await get("https://example.com/busy", session)
    #expect(mock.requests.count == 1 + (retries ?? 0))
  }

  @Test(arguments: [true, false]) func `redirects are followed if the profile says so`(follows: Bool) async throws {
    let session = try session { $0.followsRedirects = follows }
    let response = await get("https://example.com/moved", session)
    #expect(response.response?.status == (follows ? .ok : .found))
    #expect(mock.requests.count == (follows ? 2 : 1))
  }
}

/// Notes the context of each exchange, and answers with 204.
private final class NotingTransport: Transport {
  let contexts = Mutex<[TransferContext]>([])

  var capabilities: TransportCapabilities { [.tls, .trustEvaluation, .networkPolicy] }

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    contexts.withLock { $0.append(context) }
    context.emit(.sent(bytes: 0))
    let head = HTTPResponse(status: .noContent)
    return TransportResponse(head: head, body: context.makeBody(for: head, content: Data()))
  }

  func shutdown() async {}
}

/// An evaluator that has the pins of a profile.
private struct PinnedTrust: TrustEvaluator {
  let pins: [String]

  func evaluate(_ trust: ServerTrust) throws {}
}
