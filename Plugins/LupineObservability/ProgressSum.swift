import LupineCore
import LupineSession

/// The progress of several transfers together, as sums that each update changes.
struct ProgressSum {
  /// The amounts that one transfer or several add to the sums.
  private struct Amounts {
    // Sums of 64-bit numbers do not overflow 128 bits; a server can declare any length.
    var completed: Int128 = 0
    var total: Int128 = 0
    /// The number of transfers whose total is unknown.
    var unknown = 0
    /// The completed fractions, in billionths, since integers add and subtract without rounding.
    var fraction = 0

    static func += (sum: inout Amounts, amounts: Amounts) {
      sum.completed += amounts.completed
      sum.total += amounts.total
      sum.unknown += amounts.unknown
      sum.fraction += amounts.fraction
    }

    static func -= (sum: inout Amounts, amounts: Amounts) {
      sum.completed -= amounts.completed
      sum.total -= amounts.total
      sum.unknown -= amounts.unknown
      sum.fraction -= amounts.fraction
    }
  }

  /// The number of transfers that will be added; `nil` if unknown.
  let expected: Int?
  /// The transfers that have not ended; the value is `nil` until a transfer reports its first progress.
  private var running: [Int: TransferProgress?] = [:]
  private var added = 0
  private var ended = 0
  private var failed = 0
  /// The sums of all transfers that were added.
  private var sums = Amounts()
  /// The bytes that were there before the transfers, such as those of resumed downloads.
  private var resumedBytes: Int128 = 0
  /// The time of the first progress.
  private var started: Duration?

  init(expected: Int?) { self.expected = expected }

  /// Adds a transfer, and returns its number.
  mutating func add() -> Int {
    added += 1
    running[added] = .some(nil)
    sums += Self.amounts(nil)
    return added
  }

  /// Stores the progress of a transfer that has not ended.
  mutating func update(_ transfer: Int, with progress: TransferProgress, now: Duration) {
    guard let last = running[transfer] else { return }
    if last == nil { resumedBytes += Int128(progress.resumedBytes) }
    sums -= Self.amounts(last)
    sums += Self.amounts(progress)
    running[transfer] = progress
    started = started ?? now
  }

  /// Ends a transfer; `false` if it has ended before.
  mutating func end(_ transfer: Int, hasFailed: Bool) -> Bool {
    guard let last = running.removeValue(forKey: transfer) else { return false }
    ended += 1
    failed += hasFailed ? 1 : 0
    sums -= Self.amounts(last)
    let completed = last?.completed ?? 0
    sums += Self.amounts(TransferProgress(completed: completed, total: completed))
    return true
  }

  /// Whether all transfers have ended, and no other is expected.
  var isComplete: Bool { ended == counts.all && ended > 0 }

  var counts: (ended: Int, all: Int, failed: Int) { (ended, max(expected ?? 0, added), failed) }

  /// The completed fraction, from 0 to 1, in which each transfer has the same weight, whatever its size.
  var fractionOfTransfers: Double {
    Double(sums.fraction) / Double(Self.whole) / Double(max(1, counts.all))
  }

  /// The sum of all transfers; the total is unknown if that of one transfer is.
  func progress(now: Duration) -> TransferProgress {
    let elapsed = started.map { now - $0 } ?? .zero
    let received = max(0, sums.completed - resumedBytes)
    return TransferProgress(
      completed: Int64(clamping: sums.completed), total: total,
      throughput: elapsed > .zero ? Double(received) / (elapsed / .seconds(1)) : 0, elapsed: elapsed,
      resumedBytes: Int64(clamping: resumedBytes))
  }

  private var total: Int64? { added == counts.all && sums.unknown == 0 ? Int64(exactly: sums.total) : nil }

  /// The fraction of a complete transfer in `Amounts`.
  private static let whole = 1_000_000_000

  private static func amounts(_ progress: TransferProgress?) -> Amounts {
    guard let progress else { return Amounts(unknown: 1) }
    return Amounts(
      completed: Int128(progress.completed), total: Int128(progress.total ?? 0), unknown: progress.total == nil ? 1 : 0,
      fraction: Int(max(0, progress.fractionCompleted) * Double(whole)))
  }
}
