import LupineFixtures
import Testing

@testable import LupineTransferQueue

@Suite struct SortedKeysTests {
  @Test func `a set has the elements of a sorted list that is changed in the same way`() {
    var generator = SplitMix(seed: Seeds.first)
    var (keys, list): (SortedKeys<Int>, Set<Int>) = (SortedKeys(), [])
    // It grows to many chunks, and shrinks to none.
    for step in 0..<20_000 {
      let key = Int.random(in: 0..<3_000, using: &generator)
      if Int.random(in: 0..<10, using: &generator) < (step < 10_000 ? 7 : 2) {
        keys.insert(key)
        list.insert(key)
      } else {
        keys.remove(key)
        list.remove(key)
      }
      guard step % 1_000 == 0 else { continue }
      #expect(keys.prefix { _ in true } == list.sorted())
      #expect(keys.prefix { $0 < key } == list.filter { $0 < key }.sorted())
    }
    for key in list.sorted() {
      #expect(keys.first == key)
      keys.remove(key)
    }
    #expect(keys.isEmpty)
    #expect(keys.first == nil)
  }

  @Test(arguments: [false, true]) func `a change of a large set compares few elements`(isRemoved: Bool) {
    let counter = ComparisonCounter()
    var keys = SortedKeys<CountedKey>()
    for number in 0..<100_000 { keys.insert(CountedKey(number: number * 2, counter: counter)) }
    let before = counter.count
    if isRemoved {
      keys.remove(CountedKey(number: 100_000, counter: counter))
    } else {
      keys.insert(CountedKey(number: 100_001, counter: counter))
    }
    // Twice the depth of a tree with as many elements.
    #expect((1...34).contains(counter.count - before), "\(counter.count - before)")
  }
}

private final class ComparisonCounter: @unchecked Sendable {
  /// One test on one thread uses it.
  var count = 0
}

private struct CountedKey: Comparable {
  let number: Int
  let counter: ComparisonCounter

  static func == (left: CountedKey, right: CountedKey) -> Bool { left.number == right.number }

  static func < (left: CountedKey, right: CountedKey) -> Bool {
    left.counter.count += 1
    return left.number < right.number
  }
}
