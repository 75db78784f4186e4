import LupineCurl
import LupineNative
import LupineTesting
import Testing

/// The two transports have one contract.
@Suite struct TransportDifferenceTests {
  private static let proxyConnection = "libcurl adds Proxy-Connection, which RFC 9112 appendix C.2.2 advises against"

  // Reasons that depend on time, so the results need not differ in each run.
  private static let earlyAnswer = "the answer may arrive before or after the first bytes are sent"
  private static let buffers = "the system takes as many bytes as its buffers have room for"

  /// The checks whose results differ, each with the reason.
  private static let reasons = [
    "a 417 in place of 100 leaves the body unsent": "libcurl discards the content of a 417 in order to send again",
    "no request is sent within an upload that a complete 2xx has answered": earlyAnswer,
    "an answer with an error ends the upload although the peer leaves the connection open": earlyAnswer,
    "a response that arrives before the body was sent is returned": earlyAnswer,
    "a response is received although the peer reads nothing of a large body": buffers,
    "a forwarded request carries the fields for its proxy": proxyConnection,
    "a 407 of a forwarding proxy is reported as the proxy's response": proxyConnection,
    "a refused tunnel is reported as the proxy's response, without content": proxyConnection,
    "a one-shot body is not opened before the tunnel is open": proxyConnection,
  ]

  @Test(.timeLimit(.minutes(5)))
  func `the native transport and libcurl differ for known reasons alone`() async throws {
    let report = try await ConformanceKit.differences(
      between: ConformanceSubject("The native transport") { NativeTransport() },
      and: ConformanceSubject("libcurl") { CurlTransport() })
    let unknown = report.differences.filter { Self.reasons[$0.check] == nil }
    #expect(unknown.isEmpty, "\(report)")
    let found = Set(report.differences.map(\.check))
    let missing = Self.reasons.filter { check, reason in
      !found.contains(check) && ![Self.earlyAnswer, Self.buffers].contains(reason)
    }
    #expect(missing.isEmpty, "these checks do not differ any more")
    #expect(report.compared >= 100)
  }
}
