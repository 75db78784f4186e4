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
    // No event follows a call that wrongly fails with EAGAIN, so a timeout ends the request.
    let needsTimeout = fault.isHurried || fault.waitsAfterEAGAIN && fault.errors.contains(EAGAIN)
    let steps = setup + (needsTimeout ? ["hurry 400"] : []) + ["get", "empty", "descriptors"]
    let sweeps = (renewsTransport ? ["renew"] : []) + fault.errors.map { "sweep \(fault.call) \($0)" }
    let lines = try Program.run("SystemFaultProbe", [url] + steps + sweeps)
    try #require(lines.count > 3 && lines.starts(with: ["new", "empty"]), "\(lines)")
    let expected = "then new, then \(lines[2])"
    let results = lines.dropFirst(3)
    for line in results where !line.hasSuffix(" failures") {
      #expect(line.hasSuffix(", \(expected)"), "\(results)")
      #expect(needsTimeout || !line.hasPrefix("timedOut"), "\(results)")
    }
    let counts = results.filter { $0.hasSuffix(" failures") }
    #expect(counts.count == fault.errors.count && (fault.needsSleep || !counts.contains("0 failures")), "\(results)")
  }
}
