import Glibc

/// What a process has cost so far.
struct Cost {
  /// Seconds of the processor, in the program and in the kernel for it.
  var processor: Double
  /// Seconds of the clock on the wall.
  var wall: Double
  /// The most memory it held, in kilobytes.
  var peak: Int

  static var now: Cost {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Cost(
      processor: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      wall: Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000, peak: memory)
  }

  static func - (after: Cost, before: Cost) -> Cost {
    Cost(processor: after.processor - before.processor, wall: after.wall - before.wall, peak: after.peak)
  }

  func json(requests: Int) -> String {
    "{\"requests\": \(requests), \"cpu\": \(processor), \"wall\": \(wall), \"peak\": \(peak)}"
  }

  /// `ru_maxrss` would count what the process held before it became this program.
  private static var memory: Int {
    guard let status = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(status) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), status) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("VmHWM:") { return Int(text.split(whereSeparator: { !("0"..."9").contains($0) })[0]) ?? 0 }
    }
    return 0
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
}
