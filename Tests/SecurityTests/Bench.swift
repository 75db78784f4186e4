import FoundationEssentials
import Glibc
import Lupine
import LupineMock
import LupineTesting
import Synchronization

/// A session as a program has it, over libcurl.
func curlSession(
  total: Duration? = .seconds(30), _ change: (Session.Builder) -> Session.Builder = { $0 }
) throws -> Session {
  let builder = Session.Builder().transport(.curl).install(.compression).timeouts(total: total)
  return try change(builder).build()
}

/// Keeps what a session's monitor would print.
final class Journal: EventMonitor {
  private let lines = Mutex<[String]>([])

  func receive(_ event: SessionEvent) {
    lines.withLock { $0 += [event.description, String(reflecting: event), "\(event.kind)"] }
  }

  var text: String { lines.withLock { $0 }.joined(separator: "\n") }
}

/// What the process holds: open descriptors, threads, and resident memory in KiB.
struct Holdings {
  let descriptors: Int
  let threads: Int
  let memory: Int

  init() throws {
    descriptors = try Self.count("/proc/self/fd")
    threads = try Self.count("/proc/self/task")
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    memory = Int(line.split(separator: " ").dropFirst().first ?? "0") ?? 0
  }

  private static func count(_ path: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path).count
  }
}

extension HTTPField.Name {
  static let custom = HTTPField.Name("X-Custom") ?? .server
  static let secret = HTTPField.Name("X-Secret") ?? .server
  static let apiKey = HTTPField.Name("X-API-Key") ?? .server
  static let refererField = HTTPField.Name("Referer") ?? .server
}
