public import LupineCore

/// The requirements for a transport, as checks to run against each implementation.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1)), arguments: ConformanceKit.checks(for: MyTransport()))
/// func `my transport conforms`(check: ConformanceCheck) async throws {
///   try await check.run { MyTransport() }
/// }
/// ```
///
/// Give the test a time limit: a transport that never returns fails its check when the test's task is cancelled.
public enum ConformanceKit {
  /// All checks, for transports with any capabilities.
  public static let checks: [ConformanceCheck] =
    methodChecks + requestFieldChecks + requestRuleChecks + uploadChecks + streamedUploadChecks + responseChecks
    + responseFieldChecks + informationalChecks + sinkChecks + fileSinkChecks + stageChecks + faultChecks
    + networkFaultChecks
    + cancellationChecks + shutdownChecks + earlyAnswerChecks + continueChecks + metricsChecks + connectionChecks
    + concurrencyChecks + proxyChecks + framingChecks + surplusChecks + limitChecks + streamEndChecks

  /// Returns the checks that apply to a transport with its capabilities.
  public static func checks(for transport: any Transport) -> [ConformanceCheck] {
    checks.filter { transport.capabilities.isSuperset(of: $0.needs) }
  }

  /// Returns the checks that do not apply to a transport, each with the missing capabilities.
  public static func skipped(for transport: any Transport) -> [SkippedCheck] {
    checks.filter { !transport.capabilities.isSuperset(of: $0.needs) }
      .map { SkippedCheck(check: $0, missing: $0.needs.subtracting(transport.capabilities)) }
  }
}
