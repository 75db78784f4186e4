import FoundationEssentials

/// What this process has in memory.
public enum ResidentMemory {
  /// Its pages in memory now, in KiB; 0 where the kernel does not say.
  public static var kibibytes: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    }
  }
}
