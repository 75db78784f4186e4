import CSeccomp
import Glibc
import LupineReachability

/// The probe's commands.
enum Probe {
  typealias Command = @Sendable (_ arguments: [String]) async throws -> Void

  static let commands: [String: Command] = [
    "watch": watch, "unprivileged": unprivileged, "forbidden": forbidden, "idle": idle, "download": download,
    "delay": delay,
  ]

  /// Prints every status of the default route, or of the host that is named.
  private static func watch(_ arguments: [String]) async throws {
    for await status in NetworkReachabilityManager(host: arguments.first).statuses { say("status \(status)") }
  }

  /// The same, as nobody.
  private static func unprivileged(_ arguments: [String]) async throws {
    guard setgid(65534) == 0, setuid(65534) == 0 else { throw ProbeError("cannot become nobody") }
    say("user \(getuid())")
    try await watch(arguments)
  }

  /// Prints the status, asked for and listened to, under a filter that forbids netlink.
  private static func forbidden(_ arguments: [String]) async throws {
    let code = lupine_forbid_netlink()
    guard code == 0 else { throw ProbeError("no filter: \(String(cString: strerror(code)))") }
    let manager = NetworkReachabilityManager()
    say("asked \(manager.status)")
    for await status in manager.statuses {
      say("heard \(status)")
      return
    }
  }

  /// Prints what listening costs: descriptors and threads before, while and after, and the processor's ticks meanwhile.
  private static func idle(_ arguments: [String]) async throws {
    // What Swift's own threads open at their first use is not counted.
    _ = await NetworkReachabilityManager().currentStatus()
    await KernelPath().waitForEnd()
    let before = count("/proc/self/fd")
    let first = NetworkReachabilityManager()
    let second = NetworkReachabilityManager(host: "127.0.0.1")
    var one = first.statuses.makeAsyncIterator()
    var two = second.statuses.makeAsyncIterator()
    say("first \(await one.next() as Any) \(await two.next() as Any)")
    say("descriptors \(count("/proc/self/fd") - before)")
    // The test answers after work of its own, for which the thread has time to go to sleep, and then again.
    _ = readLine()
    let switches = waits()
    say("begin")
    _ = readLine()
    say("wakes \(waits() - switches)")
  }

  /// How many entries a folder has, without the one by which it is read.
  private static func count(_ folder: String) -> Int {
    guard let stream = opendir(folder) else { return -1 }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count - 3
  }

  /// How often the thread at the socket has gone to sleep.
  private static func waits() -> Int {
    guard let stream = opendir("/proc/self/task") else { return -1 }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let text = contents("/proc/self/task/\(name)/status"), text.hasPrefix("Name:\tlupine-netlink\n") else {
        continue
      }
      let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return line.flatMap { Int($0.drop { !$0.isNumber }) } ?? -1
    }
    return -1
  }

  private static func contents(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let length = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<length], as: UTF8.self)
  }
}

/// Why the probe cannot do what it was asked.
struct ProbeError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Prints a line that whoever reads the pipe has at once.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
