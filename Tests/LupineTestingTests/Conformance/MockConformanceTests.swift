import LupineMock
import LupineTesting
import Testing

@Suite struct MockConformanceTests {
  @Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: MockTransport()))
  func `the mock conforms`(check: ConformanceCheck) async throws {
    try await check.run { MockTransport() }
  }
}
