import FoundationEssentials

/// The resources of the process: open descriptors, threads, and resident memory in KiB.
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
