import Glibc
import LupineCore
import LupineTesting

/// A program that runs Lupine's conformance kit against a transport of its own, over servers on loopback.
///
/// It exits with an error if a check fails that applies to the capabilities that the transport declares.
@main struct OwnTransport {
  struct TimeLimitExceeded: Error {
    let check: String
  }

  static func main() async {
    let transport = SocketTransport()
    let checks = ConformanceKit.checks(for: transport)
    let skipped = ConformanceKit.skipped(for: transport)
    await transport.shutdown()

    var failures = 0
    for check in checks {
      do {
        try await run(check)
      } catch {
        failures += 1
        print(error)
      }
    }
    for check in skipped { print(check) }
    print("\(checks.count - failures) checks passed, \(failures) failed, \(skipped.count) skipped")
    if failures > 0 || checks.isEmpty { exit(1) }
  }

  /// Runs a check; cancels it after a minute, because a transport that waits forever fails only then.
  private static func run(_ check: ConformanceCheck) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await check.run { SocketTransport() } }
      group.addTask {
        try await Task.sleep(for: .seconds(60))
        throw TimeLimitExceeded(check: check.name)
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
