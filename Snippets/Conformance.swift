// A test that checks the conformance of a transport.

import LupineTesting
import Testing

// snippet.hide
import LupineMock

typealias MyTransport = MockTransport

// snippet.show
@Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: MyTransport()))
func `my transport conforms`(check: ConformanceCheck) async throws {
  try await check.run { MyTransport() }
}
