import LupineCore
import LupineFixtures
import LupineNative
import LupineRecording
import LupineTesting
import Testing

/// The checks of the conformance kit, recorded over a transport and run again on a replay.
@Suite(.timeLimit(.minutes(3))) struct ReplayConformanceTests {
  /// The checks that a replay cannot show, by their reasons.
  private static let unshown: [String: [String]] = [
    "A replay makes no connection, so nothing sees the fields and the framing on the wire.": [
      "no field is added but Host and the framing of the body", "Host names the URL's host and port",
      "a known length is sent in Content-Length", "a POST, and a QUERY, without a body states the length 0",
      "a stream of unknown length is sent in chunks", "a body that waits for 100 follows it",
      "metrics report times in their order",
    ],
    "A request that failed because of its body counts as one that was asked for.": [
      "a missing file fails the request, and nothing is sent", "a one-shot stream can be sent once",
      "a stream that goes on after its stated length fails the request",
    ],
    "Of an upload over 1 MiB a recording has the digest.": ["a stream of 4 MiB arrives whole"],
    "Secrets are replaced.": ["repeated Set-Cookie fields stay apart"],
    "A replay sends the whole body before the head arrives.": [
      "a request's body goes out while the consumer holds the response back",
      "a head is returned while the request's body is still being sent",
      "no request is sent within an upload that a complete 2xx has answered",
      "a response is received although the peer reads nothing of a large body",
    ],
    "A failure of the client is recorded as a stall, so that the stage's end does not come.": [
      "a stage that throws at the end fails the body"
    ],
    "The number of requests that the check sends while it waits differs.": [
      "the context of an exchange that is complete is released",
      "the context of an exchange that failed before its head is released",
      "the context of an exchange that was cancelled within its body is released",
      "the request's body of a cancelled exchange is cancelled",
    ],
  ]

  /// Whether a check is about what a replay does not do: resolve names, and speak to a proxy.
  private static func isOfConnections(_ check: ConformanceCheck) -> Bool {
    check.name.contains("resolve") || check.name.contains("proxy") || check.name.contains("tunnel")
  }

  @Test func `a replay shows what the transport showed`() async throws {
    let unshown = Set(Self.unshown.values.joined())
    var compared = 0
    for check in ConformanceKit.checks(for: NativeTransport())
    where !unshown.contains(check.name) && !Self.isOfConnections(check) {
      let kit = try KitReplay { NativeTransport() }
      let report = try await ConformanceKit.differences(between: kit.recording, and: kit.replay, checks: [check])
      guard kit.count > 0 else { continue }
      compared += 1
      // The stand-in of the peer does not know the order of requests, nor which of them were not sent.
      let differences = report.differences.filter { !$0.lines.allSatisfy { $0.contains(": the peer saw ") } }
      #expect(differences.isEmpty, "\(report)")
    }
    #expect(compared >= 200)
  }
}
