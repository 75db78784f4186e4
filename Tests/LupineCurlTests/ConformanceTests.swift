import LupineCurl
import LupineMock
import LupineTesting
import Testing

@Suite struct ConformanceTests {
  @Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: CurlTransport()))
  func `the libcurl transport conforms`(check: ConformanceCheck) async throws {
    try await check.run { CurlTransport() }
  }
}
