import LupineCore
import LupineFixtures
import LupineNative
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

@Suite struct ConformanceTests {
  @Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: NativeTransport()))
  func `the native transport conforms`(check: ConformanceCheck) async throws {
    try await check.run { NativeTransport() }
  }

  @Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: NativeTransport()))
  func `the native transport conforms with several loops`(check: ConformanceCheck) async throws {
    try await check.run { Client.native(loops: 3).transport }
  }

  @Test(.timeLimit(.minutes(1)), arguments: SecuredPeer.checks)
  func `the native transport conforms over TLS`(check: ConformanceCheck) async throws {
    try await check.run(on: SecuredPeer.subject)
  }

  @Test(.timeLimit(.minutes(2)))
  func `the native transport and the mock do not differ`() async throws {
    let report = try await ConformanceKit.differences(
      between: ConformanceSubject("The native transport") { NativeTransport() }, and: .mock)
    #expect(report.differences.isEmpty, "\(report)")
    #expect(report.compared >= 100)
  }
}
