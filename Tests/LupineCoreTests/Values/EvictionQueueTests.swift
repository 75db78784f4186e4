import LupineFixtures
import LupineSupport
import Testing

@Suite struct EvictionQueueTests {
  /// A store in memory with room for a number of entries of one byte.
  private protocol Cache {
    init(room: Int)
    /// Uses an entry, which is added if it is missing; returns whether it was there.
    mutating func use(_ key: Int) -> Bool
  }

  private struct FIFOs: Cache {
    private let room: Int
    private var queue: EvictionQueue
    private var ids: [Int: Int64] = [:]
    private var keys: [Int64: Int] = [:]
    private var last: Int64 = 0

    init(room: Int) {
      self.room = room
      queue = EvictionQueue(room: Int64(room))
    }

    mutating func use(_ key: Int) -> Bool {
      if let id = ids[key] {
        queue.touch(id)
        return true
      }
      while queue.count >= room, let victim = queue.evict() {
        if let key = keys.removeValue(forKey: victim) { ids[key] = nil }
      }
      last += 1
      ids[key] = last
      keys[last] = key
      queue.insert(last, size: 1, fingerprint: UInt64(key))
      return false
    }
  }

  private struct LRU: Cache {
    private let room: Int
    private var times: [Int: Int] = [:]
    private var order: [Int: Int] = [:]
    private var (time, oldest) = (0, 0)

    init(room: Int) { self.room = room }

    mutating func use(_ key: Int) -> Bool {
      let before = times.removeValue(forKey: key)
      if let before { order[before] = nil }
      while before == nil, times.count >= room {
        if let key = order.removeValue(forKey: oldest) { times[key] = nil }
        oldest += 1
      }
      times[key] = time
      order[time] = key
      time += 1
      return before != nil
    }
  }

  /// The share of uses of popular keys that find their entry.
  ///
  /// Popularity follows Zipf's law. After each 1,000 uses, a scan uses `scan` new keys once each.
  private func hitRate<Store: Cache>(_ type: Store.Type, room: Int, scan: Int) -> Double {
    var (store, generator) = (Store(room: room), SplitMix(seed: 7))
    var sums: [Double] = []
    for rank in 1...10_000 { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
    var (hits, next) = (0, 10_000)
    let uses = 40_000
    for use in 0..<uses {
      let value = Double.random(in: 0..<sums[sums.count - 1], using: &generator)
      var (low, high) = (0, sums.count - 1)
      while low < high {
        if sums[(low + high) / 2] > value { high = (low + high) / 2 } else { low = (low + high) / 2 + 1 }
      }
      if store.use(low) { hits += 1 }
      guard use % 1_000 == 999 else { continue }
      for _ in 0..<scan {
        _ = store.use(next)
        next += 1
      }
    }
    return Double(hits) / Double(uses)
  }

  @Test(arguments: [(100, 0), (100, 500), (1_000, 0), (1_000, 2_000)])
  func `popular entries are found more often than with LRU`(room: Int, scan: Int) {
    let (own, lru) = (hitRate(FIFOs.self, room: room, scan: scan), hitRate(LRU.self, room: room, scan: scan))
    print("room \(room), scan \(scan): S3-FIFO \(own), LRU \(lru)")
    #expect(own > lru + (scan == 0 ? 0 : 0.05))
  }

  @Test func `a scan of any length leaves what was used twice`() {
    var store = FIFOs(room: 100)
    for _ in 0..<3 { for key in 0..<50 { _ = store.use(key) } }
    for key in 1_000..<2_000 { _ = store.use(key) }
    #expect((0..<50).allSatisfy { store.use($0) })
  }

  @Test func `an entry that comes back soon stays`() {
    var queue = EvictionQueue(room: 10)
    for id in 1...10 { queue.insert(Int64(id), size: 1, fingerprint: UInt64(id)) }
    #expect(queue.evict() == 1)
    queue.insert(11, size: 1, fingerprint: 1)
    for id in 12...100 {
      _ = queue.evict()
      queue.insert(Int64(id), size: 1, fingerprint: UInt64(id))
    }
    #expect(queue.contains(11))
  }

  @Test func `sizes and removals are counted, and every entry is evicted in the end`() {
    var queue = EvictionQueue(room: 100)
    for id in 1...300 { queue.insert(Int64(id), size: Int64(id % 5), fingerprint: UInt64(id), isProven: id % 3 == 0) }
    for id in stride(from: 1, through: 300, by: 2) { queue.remove(Int64(id)) }
    for id in stride(from: 2, through: 300, by: 4) { queue.touch(Int64(id)) }
    queue.resize(2, to: 50)
    queue.replace(4, by: 301, size: 3, fingerprint: 4)
    var evicted: Set<Int64> = []
    while let id = queue.evict() { #expect(evicted.insert(id).inserted) }
    #expect(queue.count == 0)
    #expect(evicted == Set(stride(from: 2, through: 300, by: 2).map(Int64.init)).subtracting([4]).union([301]))
  }
}
