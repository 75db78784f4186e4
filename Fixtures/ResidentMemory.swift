import FoundationEssentials

/// The resident memory of this process.
public enum ResidentMemory {
  /// The current size of the resident memory in KiB; 0 if the kernel does not report it.
  public static var kibibytes: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return line.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    }
  }
}
