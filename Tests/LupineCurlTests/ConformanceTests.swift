import LupineCurl
import LupineTesting
import Testing

@Suite struct ConformanceTests {
  /// libcurl drops the content of a 417, because it means to ask again without the expectation.
  private static let knownIssue = "a 417 in place of 100 leaves the body unsent"

  @Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: CurlTransport()))
  func `the libcurl transport conforms`(check: ConformanceCheck) async throws {
    try await withKnownIssue("libcurl drops the content of a 417.") {
      try await check.run { CurlTransport() }
    } when: {
      check.name == Self.knownIssue
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `libcurl and the mock do not differ`() async throws {
    let report = try await ConformanceKit.differences(
      between: ConformanceSubject("libcurl") { CurlTransport() }, and: .mock)
    #expect(report.differences.isEmpty, "\(report)")
    #expect(report.compared >= 100)
  }
}
