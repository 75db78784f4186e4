/// A sorted set that stays fast with hundreds of thousands of elements.
///
/// The elements are in chunks of 256 at most, so that a change moves the elements of one chunk alone.
struct SortedKeys<Key: Comparable & Sendable>: Sendable {
  private static var most: Int { 256 }

  /// The elements in their order; no chunk is empty.
  private var chunks: [[Key]] = []

  var isEmpty: Bool { chunks.isEmpty }

  /// The least element.
  var first: Key? { chunks.first?.first }

  /// Inserts an element; does nothing if it is there.
  mutating func insert(_ key: Key) {
    guard !chunks.isEmpty else { return chunks.append([key]) }
    let chunk = self.chunk(of: key)
    let place = Self.place(of: key, in: chunks[chunk])
    guard place == chunks[chunk].count || chunks[chunk][place] != key else { return }
    chunks[chunk].insert(key, at: place)
    guard chunks[chunk].count > Self.most else { return }
    let tail = Array(chunks[chunk][(Self.most / 2)...])
    chunks[chunk].removeLast(tail.count)
    chunks.insert(tail, at: chunk + 1)
  }

  /// Removes an element; does nothing if it is not there.
  mutating func remove(_ key: Key) {
    guard !chunks.isEmpty else { return }
    let chunk = self.chunk(of: key)
    let place = Self.place(of: key, in: chunks[chunk])
    guard place < chunks[chunk].count, chunks[chunk][place] == key else { return }
    chunks[chunk].remove(at: place)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
  }

  /// The elements from the least one on, as long as the condition holds.
  func prefix(while condition: (Key) -> Bool) -> [Key] {
    var found: [Key] = []
    for chunk in chunks {
      for key in chunk { if condition(key) { found.append(key) } else { return found } }
    }
    return found
  }

  /// The last chunk that begins at the element or before it; the first one if there is none.
  private func chunk(of key: Key) -> Int {
    max(0, Self.count(in: chunks) { $0[0] <= key } - 1)
  }

  private static func place(of key: Key, in keys: [Key]) -> Int { count(in: keys) { $0 < key } }

  /// The number of elements at the beginning for which the condition holds; it holds for none after them.
  private static func count<Element>(in elements: [Element], where condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if condition(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
