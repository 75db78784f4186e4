import Glibc
import LupineFixtures
import Testing

/// Makes each call of one function that a request makes fail in turn, in a process of its own.
struct FaultSweep {
  let url: String
  /// The steps of `SystemFaultProbe` before the first request.
  var setup: [String] = []
  /// Whether each failure gets a transport of its own, so that the calls of its start fail too.
  var renewsTransport = false

  /// Checks that the request with the failed call ends in time with a response or an error, that the next request
  /// succeeds, and that no descriptor is left.
  func check(_ fault: SystemFaultTests.Fault) throws {
    let steps = setup + ["get", "empty", "descriptors"] + (renewsTransport ? ["renew"] : [])
    let sweeps = fault.errors.map { "sweep \(fault.call) \($0)" }
    let lines = try Self.run([url] + steps + sweeps)
    try #require(lines.count > 3 && lines.starts(with: ["new", "empty"]), "\(lines)")
    let expected = "then new, then \(lines[2])"
    var results = lines.dropFirst(3)
    for error in fault.errors {
      let outcomes = results.prefix { !$0.hasSuffix(" failures") }
      results = results.dropFirst(outcomes.count)
      let count = results.popFirst()
      #expect(count == "\(outcomes.count) failures" && !outcomes.isEmpty, "\(error): \(lines)")
      for outcome in outcomes {
        #expect(outcome.hasSuffix(", \(expected)"), "\(error): \(lines)")
        // No event follows a call that wrongly fails with EAGAIN, so a timeout may end the request.
        #expect(error == EAGAIN || !outcome.hasPrefix("timedOut"), "\(error): \(lines)")
      }
    }
  }

  /// Runs `SystemFaultProbe` and returns its lines, without the last ones if it hangs.
  static func run(_ arguments: [String]) throws -> [String] {
    try Program.run("SystemFaultProbe", arguments, under: ["timeout", "170"])
  }
}
