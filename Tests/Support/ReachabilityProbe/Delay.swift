import Glibc
import LupineReachability

extension Probe {
  /// Prints the shortest, the median and the longest time from a change of the network to its report.
  ///
  /// Arguments: an interface that has the default route, its gateway, the number of changes.
  ///
  /// The program `ip` makes each change. The time includes the run of `ip`, so it is an upper bound of the delay.
  @Sendable static func delay(_ arguments: [String]) async throws {
    guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
      throw ProbeError("usage: delay INTERFACE GATEWAY COUNT")
    }
    let manager = NetworkReachabilityManager()
    var statuses = manager.statuses.makeAsyncIterator()
    _ = await statuses.next()
    let clock = ContinuousClock()
    var delays: [Duration] = []
    var isOn = true
    while delays.count < count {
      let route = ["ip", "route", isOn ? "del" : "add", "default", "via", arguments[1], "dev", arguments[0]]
      let begin = clock.now
      try run(route)
      _ = await statuses.next()
      isOn.toggle()
      delays.append(begin.duration(to: clock.now))
    }
    delays.sort()
    say("from change to report: least \(delays[0]), middle \(delays[count / 2]), longest \(delays[count - 1])")
  }

  private static func run(_ arguments: [String]) throws {
    var process = pid_t()
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    guard posix_spawnp(&process, arguments[0], nil, nil, &pointers, environ) == 0 else {
      throw ProbeError("\(arguments[0]) cannot be started")
    }
    var status: Int32 = 0
    guard waitpid(process, &status, 0) == process, status == 0 else {
      throw ProbeError("\(arguments.joined(separator: " ")) failed")
    }
  }
}
