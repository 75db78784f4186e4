import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineSupport
import Testing

@testable import LupineRecording

/// Secrets of a body that a server sends in two pieces, cut at each byte of the secret.
@Suite struct CutSecretsTests {
  private static let secret = "s3cr+t/Value=42é~"
  private static let bodies = SecretPlace.responses.filter { !$0.entry("").responseText.isEmpty }
  private static let interval = Duration.seconds(1)

  /// - Parameter padding: spaces at the end of the body; with 70,000 it is in a file of its own.
  @Test(arguments: bodies, [0, 70_000])
  func `no file has a byte of the secret, and the body plays in two pieces`(
    place: SecretPlace, padding: Int
  ) async throws {
    let spaces = Data(repeating: 0x20, count: padding)
    let entry = place.entry(Self.secret)
    let body = Data(entry.responseText.utf8) + spaces
    let cuts = Self.cuts(of: place)
    let type = try #require(entry.response?.head.headerFields[.contentType])
    let mock = MockTransport()
    for cut in cuts {
      let reply = MockReply.status(.ok).field(.contentType, type)
      mock.stub(.get, "/\(cut)", reply.chunked([body.prefix(cut), body.dropFirst(cut)], every: Self.interval))
    }
    let folder = try TemporaryFolder()
    let path = folder.file("users.cassette")
    let recorder = RecordingTransport(around: mock, to: path)
    let recorded = try await Self.bodies(of: cuts, over: recorder)
    #expect(recorded.allSatisfy { $0.0 == body })
    try await recorder.recording.finish()

    #expect(folder.names.count == (padding == 0 ? 1 : 2))
    for name in folder.names {
      let text = try Data(contentsOf: URL(filePath: folder.file(name)))
      #expect(!SecretPlace.isSecret(Self.secret, in: text), "\(name)")
    }

    let expected = Data(try Redactor().redacted(entry, secretFields: .standard) { _, _ in }.responseText.utf8)
    let played = try await Self.bodies(of: cuts, over: try await ReplayTransport(contentsOf: path))
    for (cut, (data, duration)) in zip(cuts, played) {
      #expect(data == expected + spaces, "cut at \(cut)")
      #expect(duration == Self.interval, "cut at \(cut)")
    }
  }

  /// The bytes from before the first secret to behind the last one.
  private static func cuts(of place: SecretPlace) -> ClosedRange<Int> {
    let (body, other) = (place.entry(secret).responseText.utf8, place.entry("another one, of 9").responseText.utf8)
    let before = zip(body, other).prefix { $0 == $1 }.count
    let after = zip(body.reversed(), other.reversed()).prefix { $0 == $1 }.count
    return max(1, before - 1)...min(body.count - 1, body.count - after + 1)
  }

  /// The bodies for each cut, and the time from the beginning of the request to its end.
  private static func bodies(
    of cuts: ClosedRange<Int>, over transport: any Transport
  ) async throws -> [(Data, Duration)] {
    let clock = ImmediateClock()
    let session = try Session.Builder().transport(transport).clock(clock).build()
    var bodies: [(Data, Duration)] = []
    for cut in cuts {
      let begin = clock.now
      let data = try await session.request("https://example.com/\(cut)").serializingData().value
      bodies.append((data, begin.duration(to: clock.now)))
    }
    return bodies
  }
}
