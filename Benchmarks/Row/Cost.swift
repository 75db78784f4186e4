import Glibc

/// The processor time, the elapsed time and the memory of this process.
public struct Cost {
  /// The processor time in seconds, in the program and in the kernel.
  public var processor: Double
  /// The elapsed time in seconds.
  var wall: Double
  /// The peak memory in kilobytes.
  public var peak: Int

  /// The cost up to now.
  public static var now: Cost {
    Cost(processor: seconds(CLOCK_PROCESS_CPUTIME_ID), wall: seconds(CLOCK_MONOTONIC), peak: memory)
  }

  /// The cost between two measurements.
  public static func - (after: Cost, before: Cost) -> Cost {
    Cost(processor: after.processor - before.processor, wall: after.wall - before.wall, peak: after.peak)
  }

  func json(requests: Int) -> String {
    "{\"requests\": \(requests), \"cpu\": \(processor), \"wall\": \(wall), \"peak\": \(peak)}"
  }

  /// The peak memory in kilobytes.
  ///
  /// `ru_maxrss` would include the memory of the process before exec, such as the pages of its parent.
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

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
