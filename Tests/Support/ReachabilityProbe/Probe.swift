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

  /// Prints every status of the default route, or of the host in the first argument.
  private static func watch(_ arguments: [String]) async throws {
    for await status in NetworkReachabilityManager(host: arguments.first).statuses { say("status \(status)") }
  }

  /// Runs `watch` as the user `nobody`, which has no privileges.
  private static func unprivileged(_ arguments: [String]) async throws {
    guard setgid(65534) == 0, setuid(65534) == 0 else { throw ProbeError("cannot become nobody") }
    say("user \(getuid())")
    try await watch(arguments)
  }

  /// Prints the status under a filter that forbids netlink: the value of `status`, then the first value of `statuses`.
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

  /// Prints the descriptors that two listening managers need, and how often their thread wakes while idle.
  private static func idle(_ arguments: [String]) async throws {
    // Descriptors that Swift's threads open at their first use must not count, so the first use comes before. Dispatch
    // opens one for its timer that watches the threads, some time after the first of them: a timer of ours needs it too.
    _ = await NetworkReachabilityManager().currentStatus()
    await KernelPath().waitForEnd()
    await DispatchTimer.open()
    let before = descriptors()
    let first = NetworkReachabilityManager()
    let second = NetworkReachabilityManager(host: "127.0.0.1")
    var one = first.statuses.makeAsyncIterator()
    var two = second.statuses.makeAsyncIterator()
    say("first \(await one.next() as Any) \(await two.next() as Any)")
    say("descriptors \(descriptors().subtracting(before).sorted())")
    // The test writes a line after other work, so that the thread has time to block, and writes another line later.
    _ = readLine()
    let switches = waits()
    say("begin")
    _ = readLine()
    say("wakes \(waits() - switches)")
  }

  /// The numbers and names of this process's descriptors, such as `5 socket:[4711]`, without the one that reads them.
  private static func descriptors() -> Set<String> {
    let folder = "/proc/self/fd"
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var found: Set<String> = []
    while let entry = readdir(stream) {
      let number = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var bytes = [CChar](repeating: 0, count: 256)
      let length = readlink("\(folder)/\(number)", &bytes, bytes.count)
      guard length > 0, number != String(dirfd(stream)) else { continue }
      found.insert("\(number) \(String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self))")
    }
    return found
  }

  /// The number of times that the thread of the netlink socket has blocked; -1 if there is no such thread.
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

/// The reason why a command of the probe fails.
struct ProbeError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Prints a line and flushes it, so that the reader of the pipe receives it immediately.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
