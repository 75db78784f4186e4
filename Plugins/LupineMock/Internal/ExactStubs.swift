/// The stubs whose template has no variable part, by the URL that they match.
///
/// A small number of stubs is searched by comparison, which is faster than hashing a URL.
struct ExactStubs: Sendable {
  private static let few = 8

  private var entries: [(key: String, stubs: [Stub])] = []
  private var places: [String: Int] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// The stubs of one URL, in the order of evaluation; empty if there are none.
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
