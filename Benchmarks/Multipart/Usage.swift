import Glibc
import Measuring

/// What a process cost, as the kernel counted it, and what it said.
struct Usage: CustomStringConvertible {
  /// Seconds of the processor, in the program and in the kernel for it.
  var processor: Double
  /// The most memory it held, in MB.
  var peak: Double
  /// The memory it held before the upload, in MB; `nil` where it did not say.
  var idle: Double?

  var description: String {
    let over = idle.map { ", \(decimal(peak - $0)) MB over idle (\(decimal($0)) MB)" } ?? ""
    return "processor \(decimal(processor)) s, peak memory \(decimal(peak)) MB\(over)"
  }

  static func median(_ usages: [Usage]) -> Usage {
    func middle(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }
    let idles = usages.compactMap(\.idle)
    return Usage(
      processor: middle(usages.map(\.processor)), peak: middle(usages.map(\.peak)),
      idle: idles.isEmpty ? nil : middle(idles))
  }
}

extension Usage {
  /// Waits for a process whose first line may say its idle memory in MB.
  init(of child: Child) throws {
    let idle = child.line().flatMap { Double($0) }
    let usage = try child.wait()
    self.init(
      processor: usage.ru_utime.seconds + usage.ru_stime.seconds, peak: Double(usage.ru_maxrss) * 1_024 / 1_000_000,
      idle: idle)
  }
}

extension timeval {
  /// The time in seconds.
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
