/// The stubs whose template leaves nothing open, by the URL that fits.
///
/// A few are told apart by comparing them, which costs less than to hash a URL.
struct ExactStubs: Sendable {
  private static let few = 8

  private var entries: [(key: String, stubs: [Stub])] = []
  private var places: [String: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Those of one URL, in the order they are asked; none where it has none.
  subscript(_ key: String) -> [Stub] {
    place(of: key).map { entries[$0].stubs } ?? []
  }

  mutating func insert(_ stub: Stub, at key: String) {
    if let place = places[key] { return entries[place].stubs.insert(sorted: stub) }
    places[key] = entries.count
    entries.append((key, [stub]))
  }

  private func place(of key: String) -> Int? {
    entries.count > Self.few ? places[key] : entries.firstIndex { $0.key == key }
  }
}
