import Glibc
import LupineReachability

extension Probe {
  /// Prints how long it takes from a change of the network, made by `ip`, to its report: the least, the middle and the
  /// longest of so many changes.
  ///
  /// Arguments: an interface that has the default route, its gateway, how many changes.
  ///
  /// The time runs from the start of `ip`, which takes some of it: the delay is no longer than that.
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
