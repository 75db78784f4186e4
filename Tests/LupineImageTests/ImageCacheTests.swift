import LupineCore
import LupineFoundation
@testable import LupineImage
import Testing

@Suite struct ImageCacheTests {
  private func key(_ name: String) throws -> ImageCache.Key {
    ImageCache.Key(url: try HTTPURL("https://example.com/\(name)"))
  }

  /// The bytes that an entry counts besides its pixels, with a URL of 21 characters.
  private static let cost = 1_024 + 21

  @Test func `hits and misses are counted`() throws {
    let cache = ImageCache()
    let image = try Pictures.solid(2, 2, [1, 2, 3, 4])
    #expect(cache.image(for: try key("a")) == nil)
    cache.insert(image, for: try key("a"))
    #expect(cache.image(for: try key("a")) == image)
    #expect(cache.statistics == ImageCache.Statistics(hits: 1, misses: 1, count: 1, size: 16 + Self.cost))
    cache.remove(try key("a"))
    cache.remove(try key("a"))
    #expect(cache.statistics == ImageCache.Statistics(hits: 1, misses: 1, count: 0, size: 0))
  }

  @Test func `a key has URL, fields, validator and filters`() throws {
    let url = try HTTPURL("https://example.com/a")
    let keys: Set = [
      ImageCache.Key(url: url), ImageCache.Key(url: try HTTPURL("https://example.com/b")),
      ImageCache.Key(url: url, headers: [.authorization: "a"]), ImageCache.Key(url: url, validator: "\"1\""),
      ImageCache.Key(url: url, filters: [.circle]),
      ImageCache.Key(url: url, filters: [.circle, .scaled(width: 1, height: 1)]),
      ImageCache.Key(url: url, filters: [.scaled(width: 1, height: 1), .circle]),
    ]
    #expect(keys.count == 7)
    #expect(keys.contains(ImageCache.Key(url: url, filters: [.circle])))
  }

  @Test func `above the capacity the least recently used pictures are removed down to the preferred size`() throws {
    let image = try Pictures.solid(5, 5, [0, 0, 0, 0])
    let size = 100 + Self.cost
    let cache = ImageCache(capacity: 9 * size, preferredSize: 5 * size)
    for name in 0..<9 { cache.insert(image, for: try key("\(name)")) }
    #expect(cache.statistics.size == 9 * size)
    _ = cache.image(for: try key("0"))
    cache.insert(image, for: try key("9"))
    #expect(cache.statistics.size == 5 * size)
    let kept = try ["0", "6", "7", "8", "9"].map { cache.image(for: try key($0)) != nil }
    #expect(kept == [true, true, true, true, true])
    #expect(cache.image(for: try key("5")) == nil)
  }

  @Test func `small pictures with long URLs do not exceed the capacity`() throws {
    let cache = ImageCache(capacity: 100_000, preferredSize: 50_000)
    let image = try Pictures.solid(1, 1, [0, 0, 0, 0])
    for name in 0..<1_000 { cache.insert(image, for: try key("\(name)")) }
    #expect(cache.statistics.count <= 97)
    let path = String(repeating: "a", count: 10_000)
    for name in 0..<100 { cache.insert(image, for: try key("\(path)\(name)")) }
    #expect(cache.statistics.count <= 9)
    #expect(cache.statistics.size <= 100_000)
  }

  @Test func `a picture replaces the one with its key`() throws {
    let cache = ImageCache(capacity: 5_000, preferredSize: 2_500)
    cache.insert(try Pictures.solid(5, 5, [0, 0, 0, 0]), for: try key("a"))
    cache.insert(try Pictures.solid(2, 2, [0, 0, 0, 0]), for: try key("a"))
    #expect(cache.statistics.size == 16 + Self.cost)
    // A picture above the capacity is not stored, and the older one under its key is out of date.
    cache.insert(try Pictures.solid(50, 50, [0, 0, 0, 0]), for: try key("a"))
    #expect(cache.statistics.count == 0)
    #expect(cache.statistics.size == 0)
  }

  @Test func `a picture between the preferred size and the capacity stays alone`() throws {
    let cache = ImageCache(capacity: 2_000, preferredSize: 100)
    cache.insert(try Pictures.solid(15, 15, [0, 0, 0, 0]), for: try key("a"))
    cache.insert(try Pictures.solid(15, 15, [0, 0, 0, 0]), for: try key("b"))
    #expect(cache.image(for: try key("a")) == nil)
    #expect(cache.image(for: try key("b")) != nil)
    cache.removeAll()
    #expect(cache.statistics.size == 0)
  }
}
