import DequeModule

/// Chooses the stored response to remove when a store is full, by S3-FIFO.
///
/// Most responses are read once or never. A store that removes the least recently used one lets a scan of many URLs
/// push out those that are read again and again. S3-FIFO (Yang et al., SOSP 2023) resists it with three queues and no
/// reordering at a read. A new entry waits in a small queue with a tenth of the room. At its end, an entry that was read
/// meanwhile moves to the main queue; another one is removed, and its name is remembered. An entry whose name is
/// remembered enters the main queue at once. At the end of the main queue, an entry that was read since it entered
/// begins again, up to three times.
struct EvictionQueue: Sendable {
  private struct Entry {
    let name: String
    let size: Int64
    var reads: UInt8 = 0
    var isMain: Bool
  }

  /// The part of the room that new entries have.
  private static let smallShare: Int64 = 10
  private static let maximumReads: UInt8 = 3

  private var entries: [UInt64: Entry] = [:]
  /// The numbers of entries, the oldest first, and of some that were removed.
  private var small: Deque<UInt64> = []
  private var main: Deque<UInt64> = []
  private var smallSize: Int64 = 0
  private var smallCount = 0
  /// The names of entries that were removed unread, the oldest first.
  private var remembered: Deque<Int> = []
  private var isRemembered: Set<Int> = []
  /// The size of all entries in bytes.
  private(set) var size: Int64 = 0

  /// Whether there is an entry.
  var isEmpty: Bool { entries.isEmpty }

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - number: the number of the entry, which is unique.
  ///   - name: identifies what the entry holds; a later entry may have the same name.
  mutating func add(_ number: UInt64, named name: String, size: Int64) {
    let isMain = isRemembered.remove(name.hashValue) != nil
    entries[number] = Entry(name: name, size: size, isMain: isMain)
    self.size += size
    if isMain {
      main.append(number)
    } else {
      small.append(number)
      smallSize += size
      smallCount += 1
    }
    compact()
  }

  /// Records that an entry was read.
  mutating func read(_ number: UInt64) {
    if let reads = entries[number]?.reads, reads < Self.maximumReads { entries[number]?.reads = reads + 1 }
  }

  /// Removes an entry.
  mutating func remove(_ number: UInt64) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    size -= entry.size
    if !entry.isMain { leaveSmall(entry) }
  }

  /// Changes the size of an entry.
  mutating func resize(_ number: UInt64, to size: Int64) {
    guard let entry = entries[number] else { return }
    entries[number] = Entry(name: entry.name, size: size, reads: entry.reads, isMain: entry.isMain)
    self.size += size - entry.size
    if !entry.isMain { smallSize += size - entry.size }
  }

  /// Removes and returns an entry, to make room in a store with a limit; `nil` if there is none.
  mutating func evict(limit: Int64) -> UInt64? {
    while !isEmpty {
      let takesSmall =
        smallCount > 0 && (smallCount == entries.count || smallCount > 1 && smallSize > limit / Self.smallShare)
      if let number = takesSmall ? evictSmall() : evictMain() { return number }
    }
    return nil
  }

  private mutating func evictSmall() -> UInt64? {
    guard let number = small.popFirst(), let entry = entries[number], !entry.isMain else { return nil }
    leaveSmall(entry)
    guard entry.reads == 0 else {
      entries[number] = Entry(name: entry.name, size: entry.size, isMain: true)
      main.append(number)
      return nil
    }
    entries[number] = nil
    size -= entry.size
    remember(entry.name)
    return number
  }

  private mutating func evictMain() -> UInt64? {
    guard let number = main.popFirst() else {
      // The rest is in the small queue, below its share.
      return evictSmall()
    }
    guard let entry = entries[number], entry.isMain else { return nil }
    guard entry.reads == 0 else {
      entries[number]?.reads = entry.reads - 1
      main.append(number)
      return nil
    }
    entries[number] = nil
    size -= entry.size
    return number
  }

  private mutating func leaveSmall(_ entry: Entry) {
    smallSize -= entry.size
    smallCount -= 1
  }

  private mutating func remember(_ name: String) {
    if isRemembered.insert(name.hashValue).inserted { remembered.append(name.hashValue) }
    while remembered.count > max(64, entries.count), let oldest = remembered.popFirst() { isRemembered.remove(oldest) }
  }

  /// Drops the numbers of removed entries once they are the majority.
  private mutating func compact() {
    guard small.count + main.count > 2 * entries.count + 64 else { return }
    small.removeAll { !(entries[$0].map { !$0.isMain } ?? false) }
    main.removeAll { !(entries[$0].map { $0.isMain } ?? false) }
  }
}
