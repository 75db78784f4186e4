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
    + responseFieldChecks + informationalChecks + sinkChecks + backPressureChecks + fileSinkChecks + stageChecks
    + faultChecks
    + networkFaultChecks
    + cancellationChecks + releaseChecks + shutdownChecks + earlyAnswerChecks + continueChecks + eventChecks
    + metricsChecks + connectionChecks + resolverChecks
    + concurrencyChecks + proxyChecks + framingChecks + toleranceChecks + surplusChecks + limitChecks + streamEndChecks

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

extension ConformanceKit {
  /// Runs every check that applies to two transports, and returns the differences between their results.
  ///
  /// The comparison includes heads (without fields that always differ, such as `Date`), the bytes of bodies, trailers,
  /// the kinds of errors, interim responses, byte counts, and the requests that the peer received.
  ///
  /// - Parameter checks: the checks to run. Default: all.
  /// - Throws: the error of a subject that cannot make its transport.
  public static func differences(
    between left: ConformanceSubject, and right: ConformanceSubject, checks: [ConformanceCheck] = ConformanceKit.checks
  ) async throws -> ConformanceDifferences {
    let capabilities = try await (capabilities(of: left)).intersection(capabilities(of: right))
    var report = ConformanceDifferences()
    for check in checks {
      guard capabilities.isSuperset(of: check.needs) else {
        report.skipped.append(SkippedCheck(check: check, missing: check.needs.subtracting(capabilities)))
        continue
      }
      report.compared += 1
      let one = await outcome(of: check, on: left)
      let other = await outcome(of: check, on: right)
      if let difference = ConformanceDifference(check.name, (left.name, one), (right.name, other)) {
        report.differences.append(difference)
      }
    }
    return report
  }

  private static func capabilities(of subject: ConformanceSubject) async throws -> TransportCapabilities {
    let transport = try subject.makeTransport()
    let capabilities = transport.capabilities
    await transport.shutdown()
    return capabilities
  }

  private static func outcome(of check: ConformanceCheck, on subject: ConformanceSubject) async -> [String] {
    do { return try await check.transcript(of: subject) } catch { return ["\(error)"] }
  }
}

/// The differences between two transports.
public struct ConformanceDifferences: Sendable, CustomStringConvertible {
  /// The differences, in the order of the checks.
  public internal(set) var differences: [ConformanceDifference] = []
  /// The number of checks that ran on both.
  public internal(set) var compared = 0
  /// The checks that do not apply to both.
  public internal(set) var skipped: [SkippedCheck] = []

  /// All differences, then the skipped checks.
  public var description: String {
    let title = "\(compared) checks compared, \(differences.count) differences, \(skipped.count) checks skipped."
    return ([title] + differences.map(\.description) + skipped.map(\.description)).joined(separator: "\n")
  }
}

/// One check whose results differ between two transports.
public struct ConformanceDifference: Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// The different lines of the two transcripts, each with the name of its transport.
  public let lines: [String]

  init?(_ check: String, _ left: (name: String, lines: [String]), _ right: (name: String, lines: [String])) {
    guard left.lines != right.lines else { return nil }
    self.check = check
    let only = right.lines.difference(from: left.lines)
    lines =
      only.removals.map { "\(left.name): \(Self.line($0))" } + only.insertions.map { "\(right.name): \(Self.line($0))" }
  }

  private static func line(_ change: CollectionDifference<String>.Change) -> String {
    switch change {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }

  /// The name of the check, followed by the lines.
  public var description: String { "\(check)\n" + lines.map { "  \($0)" }.joined(separator: "\n") }
}

/// A check that does not apply to a transport.
public struct SkippedCheck: Sendable, CustomStringConvertible {
  /// The check.
  public let check: ConformanceCheck
  /// The capabilities that the transport lacks.
  public let missing: TransportCapabilities

  /// The check's name and the missing capabilities.
  public var description: String { "\(check.name): skipped, it needs \(missing)" }
}
