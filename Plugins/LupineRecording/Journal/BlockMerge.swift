import HTTPTypes
import LupineCore

/// Joins the exchanges of a recording with the blocks of an older cassette.
enum BlockMerge {
  /// Returns the blocks of a cassette that was recorded anew, in the order of first sending.
  ///
  /// An exchange keeps its old block if the two differ only in times, in the division of the body into pieces, in the
  /// field `Date` and in the reuse of the connection. For exchanges that failed, the reuse must be the same as well. Kept
  /// blocks have the same order among themselves as in the old cassette.
  static func replacing(_ old: [CassetteBlock], with entries: [Cassette.Entry]) -> [[UInt8]] {
    var unused: [Cassette.Entry: [Int]] = [:]
    for (index, block) in old.enumerated().reversed() {
      if case .entry(let entry) = block.content { unused[entry.withoutTimes, default: []].append(index) }
    }
    let matches = entries.map { entry in unused[entry.withoutTimes]?.popLast() }
    var kept = matches.compactMap(\.self).sorted().makeIterator()
    return zip(entries, matches).map { entry, match in
      match.flatMap { _ in kept.next() }.map { old[$0].bytes } ?? CassetteWriter.text(of: entry)
    }
  }

  /// Returns the old blocks that are not superseded by a recording that did not end.
  ///
  /// - Parameter journal: the exchanges of that recording.
  static func keeping(_ old: [CassetteBlock], beside journal: [CassetteBlock]) -> [CassetteBlock] {
    func key(_ block: CassetteBlock) -> [String]? {
      if case .entry(let entry) = block.content { [entry.request.method.rawValue, entry.request.url] } else { nil }
    }
    let recorded = Set(journal.compactMap(key))
    return old.filter { block in key(block).map { !recorded.contains($0) } ?? false }
  }
}

extension Cassette.Entry {
  /// The entry without its times, its division into pieces and its field `Date`, which differ in each recording.
  fileprivate var withoutTimes: Cassette.Entry {
    var entry = self
    (entry.begin, entry.duration) = (.zero, .zero)
    for index in entry.interim.indices { entry.interim[index].after = .zero }
    entry.response?.after = .zero
    entry.response?.chunks = []
    entry.response?.head.headerFields[.date] = nil
    if case .complete = entry.end { entry.isConnectionReused = false }
    return entry
  }
}
