import LupineCore

extension ConformanceKit {
  /// Runs every check that applies to two transports, and returns the differences between their results.
  ///
  /// The comparison includes heads (without fields that always differ, such as `Date`), the bytes of bodies, trailers,
  /// the kinds of errors, interim responses, byte counts, and the requests that the peer received.
  ///
  /// - Parameter checks: the checks to run. Default: all.
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
