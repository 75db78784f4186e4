import Glibc

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

extension timeval {
  /// The time in seconds.
  var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
