import LupineCore
import LupineSession
import Testing

@testable import LupineObservability

@Suite struct ProgressSumTests {
  @Test func `bytes, totals and rates are those of all transfers`() {
    var sum = ProgressSum(expected: nil)
    let (first, second) = (sum.add(), sum.add())
    sum.update(first, with: TransferProgress(completed: 10, total: 100), now: .seconds(5))
    sum.update(second, with: TransferProgress(completed: 20, total: 300), now: .seconds(6))
    sum.update(first, with: TransferProgress(completed: 60, total: 100), now: .seconds(7))
    let progress = sum.progress(now: .seconds(9))
    #expect(progress == TransferProgress(completed: 80, total: 400, throughput: 20, elapsed: .seconds(4)))
  }

  @Test func `a total that is unknown makes the sum unknown until the transfer ends`() {
    var sum = ProgressSum(expected: 2)
    let first = sum.add()
    sum.update(first, with: TransferProgress(completed: 10, total: 100), now: .zero)
    #expect(sum.progress(now: .zero).total == nil)
    let second = sum.add()
    #expect(sum.progress(now: .zero).total == nil)
    sum.update(second, with: TransferProgress(completed: 5, total: nil), now: .zero)
    #expect(sum.progress(now: .zero).total == nil)
    let end1 = sum.end(second, hasFailed: false)
    #expect(end1)
    #expect(sum.progress(now: .zero).total == 105)
  }

  @Test func `the sum is complete when all transfers have ended, and counts the failed ones`() {
    var sum = ProgressSum(expected: 2)
    let first = sum.add()
    let end2 = sum.end(first, hasFailed: true)
    #expect(end2)
    let end3 = sum.end(first, hasFailed: true)
    #expect(!end3)
    #expect(!sum.isComplete)
    let second = sum.add()
    sum.update(second, with: TransferProgress(completed: 7, total: 7), now: .zero)
    #expect(!sum.isComplete)
    let end4 = sum.end(second, hasFailed: false)
    #expect(end4)
    #expect(sum.isComplete)
    #expect(sum.counts == (2, 2, 1))
    sum.update(second, with: TransferProgress(completed: 9, total: 9), now: .zero)
    #expect(sum.progress(now: .zero).completed == 7)
  }

  @Test func `bytes from before the transfer are not in the rate`() {
    var sum = ProgressSum(expected: nil)
    let resumed = sum.add()
    // The first progress has no throughput, since no time has passed.
    let first = TransferProgress(completed: 1_010, total: 2_000, elapsed: .zero, resumedBytes: 1_000)
    sum.update(resumed, with: first, now: .zero)
    sum.update(resumed, with: TransferProgress(completed: 1_100, total: 2_000, resumedBytes: 1_000), now: .seconds(10))
    #expect(sum.progress(now: .seconds(10)).throughput == 10)
    #expect(sum.progress(now: .seconds(10)).resumedBytes == 1_000)
  }

  @Test func `each transfer has the same weight in the fraction, whether it has started or not`() {
    var sum = ProgressSum(expected: 10)
    let transfers = (0..<10).map { _ in sum.add() }
    sum.update(transfers[0], with: TransferProgress(completed: 50, total: 100), now: .zero)
    sum.update(transfers[1], with: TransferProgress(completed: 10, total: 10), now: .zero)
    #expect(sum.progress(now: .zero).total == nil)
    #expect(sum.fractionOfTransfers == 0.15)
    for transfer in transfers.prefix(2) { _ = sum.end(transfer, hasFailed: false) }
    #expect(sum.fractionOfTransfers == 0.2)
    for transfer in transfers { _ = sum.end(transfer, hasFailed: true) }
    #expect(sum.fractionOfTransfers == 1)
    #expect(ProgressSum(expected: nil).fractionOfTransfers == 0)
  }

  @Test func `totals that do not fit into 64 bits are unknown`() {
    var sum = ProgressSum(expected: nil)
    for _ in 0..<2 { sum.update(sum.add(), with: TransferProgress(completed: .max, total: .max), now: .zero) }
    #expect(sum.progress(now: .seconds(1)).total == nil)
    #expect(sum.progress(now: .seconds(1)).completed == .max)
  }
}
