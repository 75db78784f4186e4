import DequeModule

/// Decides which response makes room for others: S3-FIFO (Yang et al., "FIFO queues are all you need for cache
/// eviction", SOSP 2023), with sizes in bytes.
///
/// A new response enters a small queue, a tenth of the room. If it is not used there, it leaves the store after a short
/// time, and only its fingerprint is remembered. So a scan, such as a crawler that uses each response once, passes
/// through the small queue and evicts none of the responses in the main queue. A response that is used in the small
/// queue moves to the main queue. So does one that comes back while its fingerprint is remembered. The main queue gives
/// each response as many further rounds as it was used, three at most. LRU would keep the last responses of a scan
/// instead; `Tests/LupineSQLiteTests/EvictionQueueTests.swift` has the comparison.
///
/// A use changes a counter alone, so that a hit writes nothing to the disk and moves nothing in memory.
struct EvictionQueue {
  private struct Entry {
    var size: Int64
    let fingerprint: UInt64
    var uses: UInt8 = 0
    var isMain: Bool
  }

  private let smallRoom: Int64
  private var entries: [Int64: Entry] = [:]
  /// The identifiers in the order of their arrival; those of removed entries are skipped.
  private var small: Deque<Int64> = []
  private var main: Deque<Int64> = []
  private var smallSize: Int64 = 0
  private var ghosts: Deque<UInt64> = []
  private var ghostSet: Set<UInt64> = []

  private static let mostUses: UInt8 = 3
  /// The number of uses that moves an entry from the small queue to the main queue.
  private static let usesToStay: UInt8 = 2

  /// - Parameter room: the number of bytes that all entries may have.
  init(room: Int64) { smallRoom = room / 10 }

  var count: Int { entries.count }

  func contains(_ id: Int64) -> Bool { entries[id] != nil }

  /// Adds an entry with an identifier that was never used before.
  ///
  /// - Parameters:
  ///   - fingerprint: recognizes an entry that comes back.
  ///   - isProven: whether the entry has stayed before, as in an earlier process, and begins in the main queue.
  mutating func insert(_ id: Int64, size: Int64, fingerprint: UInt64, isProven: Bool = false) {
    let isMain = ghostSet.remove(fingerprint) != nil || isProven
    entries[id] = Entry(size: size, fingerprint: fingerprint, isMain: isMain)
    if isMain {
      main.append(id)
    } else {
      small.append(id)
      smallSize += size
    }
    compact()
  }

  /// Adds an entry in the place of another one, and keeps the knowledge about its use.
  mutating func replace(_ old: Int64, by id: Int64, size: Int64, fingerprint: UInt64) {
    guard let before = remove(old) else { return insert(id, size: size, fingerprint: fingerprint) }
    insert(id, size: size, fingerprint: fingerprint, isProven: before.isMain)
    entries[id]?.uses = before.uses
  }

  /// Counts uses.
  mutating func touch(_ id: Int64, _ count: Int = 1) {
    guard let entry = entries[id], entry.uses < Self.mostUses else { return }
    entries[id]?.uses = UInt8(min(Int(Self.mostUses), Int(entry.uses) + count))
  }

  /// Changes the size of an entry.
  mutating func resize(_ id: Int64, to size: Int64) {
    guard let entry = entries[id] else { return }
    if !entry.isMain { smallSize += size - entry.size }
    entries[id]?.size = size
  }

  /// Removes an entry; returns whether it was in the main queue and how often it was used.
  @discardableResult
  mutating func remove(_ id: Int64) -> (isMain: Bool, uses: UInt8)? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    if !entry.isMain { smallSize -= entry.size }
    return (entry.isMain, entry.uses)
  }

  /// Removes the entry that makes room, and returns it; `nil` if there is none.
  mutating func evict() -> Int64? {
    while !entries.isEmpty {
      let fromSmall = smallSize > smallRoom || main.isEmpty
      guard let id = fromSmall ? small.popFirst() : main.popFirst() else {
        // The main queue had removed entries alone.
        guard let id = small.first, !fromSmall else { return nil }
        if entries[id] == nil {
          small.removeFirst()
        } else if let victim = evictSmall(small.removeFirst()) {
          return victim
        }
        continue
      }
      if let victim = fromSmall ? evictSmall(id) : evictMain(id) { return victim }
    }
    return nil
  }

  private mutating func evictSmall(_ id: Int64) -> Int64? {
    guard let entry = entries[id] else { return nil }
    smallSize -= entry.size
    if entry.uses >= Self.usesToStay {
      entries[id]?.isMain = true
      entries[id]?.uses = 0
      main.append(id)
      return nil
    }
    entries[id] = nil
    remember(entry.fingerprint)
    return id
  }

  private mutating func evictMain(_ id: Int64) -> Int64? {
    guard let entry = entries[id] else { return nil }
    guard entry.uses > 0 else {
      entries[id] = nil
      return id
    }
    entries[id]?.uses -= 1
    main.append(id)
    return nil
  }

  /// Remembers an evicted entry, as many as there are entries.
  private mutating func remember(_ fingerprint: UInt64) {
    if ghostSet.insert(fingerprint).inserted { ghosts.append(fingerprint) }
    while ghosts.count > max(64, entries.count), let oldest = ghosts.popFirst() { ghostSet.remove(oldest) }
  }

  /// Drops the identifiers of removed entries, if they are many.
  private mutating func compact() {
    guard small.count + main.count > 2 * entries.count + 64 else { return }
    small.removeAll { entries[$0] == nil }
    main.removeAll { entries[$0] == nil }
  }
}
