import CSockets
import LupineCore
import LupineFoundation

/// The number of processors that the process may use.
enum ProcessorCount {
  /// The default number of a transport's loops: a quarter of the processors, at least one.
  ///
  /// The first use determines it. It reads no files where their limits would not change the result.
  static let loops = allowed < 8 ? 1 : max(1, count(allowed: allowed, groups: ControlGroups()) / 4)

  /// Returns the number of processors that the affinity mask allows, and at most as many as the control groups allow.
  static func count(allowed: Int, groups: ControlGroups) -> Int {
    max(1, min(allowed, groups.quota.map { Int($0.rounded(.up)) } ?? .max))
  }

  /// The number of processors in the affinity mask (`sched_getaffinity`), at least one.
  static var allowed: Int { max(1, Int(lupine_allowed_processors())) }
}

/// The limits on processor time of the control groups that the process belongs to, of version 1 and of version 2.
struct ControlGroups {
  private let root: String

  /// - Parameter root: the folder that contains `proc` and `sys`. Default: the root of the file system.
  init(root: String = "") { self.root = root }

  /// The processor time that the process may use in a unit of time; `nil` without a limit.
  ///
  /// The limit of each group above the process's own applies as well. A container may not see those, or may see its own
  /// group as the uppermost one.
  var quota: Double? {
    var least: Double?
    for line in lines("/proc/self/cgroup") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      for folder in Self.folders(of: fields[2]) {
        guard let quota = quota(folder, controllers: fields[1]) else { continue }
        least = min(least ?? quota, quota)
      }
    }
    return least
  }

  /// The paths of a group and of those above it, each with a slash at its front, and the uppermost as "".
  private static func folders(of group: Substring) -> [String] {
    var names = group.split(separator: "/")
    // Such a group is outside of what the process sees.
    if names.contains("..") { names = [] }
    return (0...names.count).map { count in names.prefix(count).map { "/" + $0 }.joined() }
  }

  private func quota(_ folder: String, controllers: Substring) -> Double? {
    if controllers.isEmpty {
      let words = (lines("/sys/fs/cgroup\(folder)/cpu.max").first ?? "").split(separator: " ")
      return words.count == 2 ? Self.quota(words[0], of: words[1]) : nil
    }
    guard controllers.split(separator: ",").contains("cpu") else { return nil }
    let place = "/sys/fs/cgroup/cpu\(folder)/cpu.cfs_"
    guard let quota = lines(place + "quota_us").first, let period = lines(place + "period_us").first else { return nil }
    return Self.quota(quota, of: period)
  }

  /// The text "max", or a negative number, is no limit.
  private static func quota(_ quota: Substring, of period: Substring) -> Double? {
    guard let quota = Double(quota), let period = Double(period), quota > 0, period > 0 else { return nil }
    return quota / period
  }

  private func lines(_ path: String) -> [Substring] {
    guard let data = try? OpenFile(reading: root + path).data(count: 64 << 10) else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }
}
