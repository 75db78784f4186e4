import DequeModule

/// Decides which entry makes room for others: S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction",
/// SOSP 2023), with sizes in bytes.
///
/// A new entry enters a small queue, which has a tenth of the room. An entry that is not used there is soon evicted,
/// and only its fingerprint is kept. So a scan, such as a crawler that uses each entry once, passes through the small
/// queue and evicts none of the entries in the main queue. An entry that is used in the small queue, or inserted again
/// while its fingerprint is kept, is in the main queue. There it stays for one more round for each use, at most three.
/// LRU would keep the last entries of a scan instead; `Tests/LupineCoreTests/Values/EvictionQueueTests.swift` has the
/// comparison.
///
/// A use only increments a counter.
public struct EvictionQueue: Sendable {
  private struct Entry {
    var size: Int64
    let fingerprint: UInt64
    var uses: UInt8 = 0
    var isMain: Bool
  }

  private static let maximumUses: UInt8 = 3

  private let smallRoom: Int64
  private var entries: [Int64: Entry] = [:]
  /// The identifiers in the order of their arrival; those of removed entries are skipped.
  private var small: Deque<Int64> = []
  private var main: Deque<Int64> = []
  private var smallSize: Int64 = 0
  private var smallCount = 0
  /// The fingerprints of entries that were evicted from the small queue, the oldest first.
  private var remembered: Deque<UInt64> = []
  private var isRemembered: Set<UInt64> = []
  /// The size of all entries in bytes.
  public private(set) var size: Int64 = 0

  /// Makes an empty queue.
  ///
  /// - Parameter room: the number of bytes that all entries may have.
  public init(room: Int64) { smallRoom = room / 10 }

  /// The number of entries.
  public var count: Int { entries.count }

  /// Whether there is an entry with this identifier.
  public func contains(_ id: Int64) -> Bool { entries[id] != nil }

  /// Adds an entry with an identifier that was never used before.
  ///
  /// - Parameters:
  ///   - fingerprint: recognizes an entry that comes back.
  ///   - isProven: whether the entry has stayed before, as in an earlier process, and begins in the main queue. Default:
  ///     `false`.
  public mutating func insert(_ id: Int64, size: Int64, fingerprint: UInt64, isProven: Bool = false) {
    let isMain = isRemembered.remove(fingerprint) != nil || isProven
    entries[id] = Entry(size: size, fingerprint: fingerprint, isMain: isMain)
    self.size += size
    if isMain {
      main.append(id)
    } else {
      small.append(id)
      smallSize += size
      smallCount += 1
    }
    compact()
  }

  /// Adds an entry in the place of another one, and keeps the knowledge about its use.
  public mutating func replace(_ old: Int64, by id: Int64, size: Int64, fingerprint: UInt64) {
    let before = take(old)
    insert(id, size: size, fingerprint: fingerprint, isProven: before?.isMain ?? false)
    entries[id]?.uses = before?.uses ?? 0
  }

  /// Counts uses of an entry.
  public mutating func touch(_ id: Int64, _ count: Int = 1) {
    guard let uses = entries[id]?.uses, uses < Self.maximumUses else { return }
    entries[id]?.uses = UInt8(min(Int(Self.maximumUses), Int(uses) + count))
  }

  /// Changes the size of an entry.
  public mutating func resize(_ id: Int64, to size: Int64) {
    guard let entry = entries[id] else { return }
    entries[id]?.size = size
    self.size += size - entry.size
    if !entry.isMain { smallSize += size - entry.size }
  }

  /// Removes an entry.
  public mutating func remove(_ id: Int64) { _ = take(id) }

  /// Removes the entry that makes room, and returns it; `nil` if there is none.
  public mutating func evict() -> Int64? {
    while !entries.isEmpty {
      // The newest entry stays beside others, even if it is larger than the small queue's share.
      let takesSmall = smallCount == entries.count || smallCount > 1 && smallSize > smallRoom
      if let id = takesSmall ? evictSmall() : evictMain() { return id }
    }
    return nil
  }

  /// Evicts or moves the oldest entry of the small queue; returns an evicted one.
  private mutating func evictSmall() -> Int64? {
    guard let id = small.popFirst(), let entry = take(id) else { return nil }
    guard entry.uses == 0 else {
      entries[id] = Entry(size: entry.size, fingerprint: entry.fingerprint, isMain: true)
      size += entry.size
      main.append(id)
      return nil
    }
    remember(entry.fingerprint)
    return id
  }

  /// Evicts the oldest entry of the main queue, or gives it another round; returns an evicted one.
  private mutating func evictMain() -> Int64? {
    guard let id = main.popFirst(), let entry = entries[id] else { return nil }
    guard entry.uses == 0 else {
      entries[id]?.uses -= 1
      main.append(id)
      return nil
    }
    remove(id)
    return id
  }

  /// Removes and returns an entry.
  private mutating func take(_ id: Int64) -> Entry? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    size -= entry.size
    if !entry.isMain {
      smallSize -= entry.size
      smallCount -= 1
    }
    return entry
  }

  /// Remembers an evicted entry; as many as there are entries, and at least 64.
  private mutating func remember(_ fingerprint: UInt64) {
    if isRemembered.insert(fingerprint).inserted { remembered.append(fingerprint) }
    while remembered.count > max(64, entries.count), let oldest = remembered.popFirst() { isRemembered.remove(oldest) }
  }

  /// Drops the identifiers of removed entries, if they are many.
  private mutating func compact() {
    guard small.count + main.count > 2 * entries.count + 64 else { return }
    small.removeAll { entries[$0] == nil }
    main.removeAll { entries[$0] == nil }
  }
}
