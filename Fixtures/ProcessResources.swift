import FoundationEssentials

/// The system resources of this process.
public struct ProcessResources {
  /// The number of open descriptors, without the timers of libdispatch, which opens them late and on threads of its own.
  ///
  /// Lupine opens no timers.
  public let descriptors: Int
  /// The names of the threads.
  private let threads: [String]

  /// Counts the resources.
  public init() throws {
    let files = FileManager.default
    descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count {
      // The descriptor of the listing itself has been closed, and has no name.
      guard let name = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") else { return false }
      return !name.contains("timerfd")
    }
    threads = try files.contentsOfDirectory(atPath: "/proc/self/task").compactMap { task in
      // The name of a thread that has ended since the listing cannot be read.
      try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
    }
  }

  /// The number of threads whose names begin with a text.
  public func threadCount(named prefix: String) -> Int { threads.count { $0.hasPrefix(prefix) } }
}
