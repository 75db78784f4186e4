import FoundationEssentials
import LupineCore
import LupineFixtures
import LupineMock
import LupineRecording
import LupineSession
import LupineTesting
import Testing

/// The folder of the cassettes of the next suite.
private let nestedFolder = try? TemporaryFolder()

/// A suite with a cassette, of which a test has its own.
@Suite(.serialized, .cassette("outer", in: nestedFolder?.path ?? "none", mode: .record)) struct NestedCassetteTests {
  /// A transport that is not virtual, over a mock.
  private struct Server: WrappingTransport {
    let base: any Transport
    var isVirtual: Bool { false }

    init(_ mock: MockTransport) {
      mock.stub(.get, "/{any...}", .text("live"))
      base = mock
    }
  }

  private static func request(over transport: any Transport) async throws {
    let session = try Session.Builder().transport(transport).clock(ImmediateClock()).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "live")
  }

  @Test(.cassette("inner", in: nestedFolder?.path ?? "none", mode: .record))
  func `the cassette of a test counts, and not that of its suite`() async throws {
    try await Self.request(over: Server(MockTransport()))
    let names = try #require(nestedFolder).names
    #expect(names.contains("inner.cassette.part"))
    #expect(!names.contains("outer.cassette.part"))
  }

  @Test(.mock) func `a test without its own has that of its suite, beside a mock`() async throws {
    let mock = try #require(MockTransport.current)
    mock.stub(.get, "/mocked", .text("mocked"))
    let mocked = try Session.Builder().transport(mock).build()
    #expect(try await mocked.request("https://example.com/mocked").serializingString().value == "mocked")
    try await Self.request(over: Server(MockTransport()))
    #expect(try #require(nestedFolder).names.contains("outer.cassette.part"))
  }
}
