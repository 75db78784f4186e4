public import HTTPTypes
public import LupineCore
import LupineSupport
import Synchronization

/// Keeps pictures in memory, bounded by the bytes of the pixels and of the keys.
///
/// A picture counts the bytes of its pixels, the length of its key's texts, such as the URL, and 1 KiB for the rest of its
/// entry, so that the cache is bounded for small pictures too. When all exceed the capacity, the pictures that were not
/// used for the longest time are removed until the others have the preferred size. Any number of downloaders and threads
/// may use one cache.
public final class ImageCache: Sendable {
  /// The key of a picture: its URL, the validator of its file, and the names of its filters.
  public struct Key: Sendable, Hashable {
    /// The URL of the file.
    public let url: HTTPURL
    /// The fields of the request that the program set itself, because the picture may depend on them.
    public let headers: HTTPFields
    /// The validator of the file (RFC 9110 section 8.8): its `ETag`, or else its `Last-Modified`; `nil` without one.
    public let validator: String?
    /// The names of the filters, in their order.
    public let filters: [String]

    /// Creates a key.
    public init(url: HTTPURL, headers: HTTPFields = [:], validator: String? = nil, filters: [ImageFilter] = []) {
      self.url = url
      self.headers = headers
      self.validator = validator
      self.filters = filters.map(\.name)
    }

    /// The bytes that an entry counts besides its pixels.
    var cost: Int {
      let texts = [url.description, validator ?? ""] + filters + headers.flatMap { [$0.name.rawName, $0.value] }
      return texts.reduce(1_024) { $0 + $1.utf8.count }
    }
  }

  /// The numbers of a cache.
  public struct Statistics: Sendable, Hashable {
    /// The number of lookups that found a picture.
    public var hits = 0
    /// The number of lookups that found none.
    public var misses = 0
    /// The number of pictures.
    public var count = 0
    /// The bytes of all pictures and their entries.
    public var size = 0
  }

  private struct Entry {
    let image: Image
    /// The bytes that it counts.
    let size: Int
    var place: RemovableQueue<Key>.Place
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// The keys by the last use of their pictures.
    var uses = RemovableQueue<Key>()
    var statistics = Statistics()

    mutating func remove(_ key: Key) -> Entry? {
      guard let entry = entries.removeValue(forKey: key) else { return nil }
      uses.remove(entry.place)
      statistics.size -= entry.size
      statistics.count -= 1
      return entry
    }
  }

  /// The number of bytes above which pictures are removed.
  public let capacity: Int
  /// The number of bytes that stay after a removal, at most.
  public let preferredSize: Int
  private let state = Mutex(State())

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - capacity: the bytes above which pictures are removed. Default: 100 MiB.
  ///   - preferredSize: the bytes that stay then, at most; never more than the capacity. Default: 60 MiB.
  public init(capacity: Int = 100 << 20, preferredSize: Int = 60 << 20) {
    self.capacity = max(capacity, 0)
    self.preferredSize = max(0, min(preferredSize, capacity))
  }

  /// The hits, the misses and the size.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Returns a picture, and counts a hit or a miss.
  public func image(for key: Key) -> Image? {
    state.withLock { state in
      guard let index = state.entries.index(forKey: key) else {
        state.statistics.misses += 1
        return nil
      }
      state.uses.remove(state.entries.values[index].place)
      state.entries.values[index].place = state.uses.append(key)
      state.statistics.hits += 1
      return state.entries.values[index].image
    }
  }

  /// Stores a picture; one that counts more bytes than the capacity is not stored.
  public func insert(_ image: Image, for key: Key) {
    let size = image.pixels.count + key.cost
    guard size <= capacity else { return remove(key) }
    // The removed pictures are released outside the lock.
    let removed = state.withLock { state -> [Entry] in
      var removed = state.remove(key).map { [$0] } ?? []
      if state.statistics.size + size > capacity {
        // The new picture stays in any case.
        while state.statistics.size + size > preferredSize, let oldest = state.uses.first {
          guard let entry = state.remove(oldest) else { break }
          removed.append(entry)
        }
      }
      state.entries[key] = Entry(image: image, size: size, place: state.uses.append(key))
      state.statistics.size += size
      state.statistics.count += 1
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes a picture.
  public func remove(_ key: Key) {
    let removed = state.withLock { $0.remove(key) }
    withExtendedLifetime(removed) {}
  }

  /// Removes all pictures; the hits and the misses stay.
  public func removeAll() {
    let removed = state.withLock { state in
      let entries = state.entries
      state.entries = [:]
      state.uses.removeAll()
      state.statistics.size = 0
      state.statistics.count = 0
      return entries
    }
    withExtendedLifetime(removed) {}
  }
}
