import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

// The parts of one response, which are joined under a strong validator (RFC 9111 section 3.4).
extension CacheStorage {
  /// A join copies at most this many times the length of the new part; a longer neighbour stays a part of its own.
  private static let maximumCopying: Int64 = 16

  /// Joins a response that was just stored with the other parts of its content.
  ///
  /// Parts that the new one contains, and parts of other content, are removed.
  func join(_ stored: StoredResponse, _ writing: EntryWriting) async {
    guard let new = part(stored), let all = try? await store.responses(for: stored.record.key) else { return }
    let others = all.filter { $0.id != stored.id }.compactMap(part)
      .filter { $0.metadata.wholeVariant == new.metadata.wholeVariant }
    var fitting: [Candidate] = []
    for other in others {
      if other.metadata.part == nil {
        // The whole response has the bytes already.
        guard new.metadata.part != nil, other.isContinued(by: new.head) else { continue }
        try? await store.remove(stored)
        return
      } else if await fits(other, new) {
        fitting.append(other)
      } else {
        try? await store.remove(other.stored)
      }
    }
    let run = Self.run(around: new, fitting)
    guard run.parts.count > 1, let record = joinedRecord(of: run.parts, run.range) else { return }
    let joining = begin(record.key)
    guard !writing.isInvalidated else { return end(joining, record.key) }
    var content = JoinedContent(of: run.parts, in: self)
    await write(record, length: run.range.upperBound - run.range.lowerBound, joining) { await content.next() }
  }

  /// Removes all parts of a response.
  func removeParts(like part: Candidate) async {
    for stored in (try? await store.responses(for: part.stored.record.key)) ?? [] {
      guard let metadata = EntryMetadata(stored.record.metadata), metadata.part != nil,
        metadata.wholeVariant == part.metadata.wholeVariant
      else { continue }
      try? await store.remove(stored)
    }
  }

  private func part(_ stored: StoredResponse) -> Candidate? {
    ParsedEntry(stored.record, isShared: isShared).map { Candidate(ParsedResponse(stored), $0) }
  }

  /// Whether an older part has the same content as a new response, and a range that the new one does not contain.
  private func fits(_ old: Candidate, _ new: Candidate) async -> Bool {
    guard let range = old.metadata.part?.range, let part = new.metadata.part, !part.contains(range),
      old.isContinued(by: new.head), new.isContinued(by: old.head)
    else { return false }
    if let total = old.metadata.part?.total, let other = part.total, total != other { return false }
    let common = range.clamped(to: part.range)
    guard !common.isEmpty else { return true }
    guard let bytes = await digest(of: old, common), let others = await digest(of: new, common) else { return false }
    return bytes == others
  }

  private func digest(of candidate: Candidate, _ range: Range<Int64>) async -> [UInt8]? {
    guard let content = try? await store.content(of: candidate.stored, in: candidate.offsets(range)) else { return nil }
    let reader = ContentReader(content)
    var hash = SHA256()
    do throws(LupineError) {
      while let bytes = try await next(of: reader) { bytes.withUnsafeBytes { hash.update($0) } }
    } catch {
      return nil
    }
    return hash.finalize()
  }

  /// The parts that form one range together with a new one, which is the first of them.
  private static func run(around new: Candidate, _ others: [Candidate]) -> (parts: [Candidate], range: Range<Int64>) {
    guard let part = new.metadata.part else { return ([], 0..<0) }
    var (parts, range, others) = ([new], part.range, others)
    func touches(_ other: Candidate) -> Bool {
      guard let other = other.metadata.part?.range else { return false }
      return other.lowerBound <= range.upperBound && range.lowerBound <= other.upperBound
    }
    while let index = others.firstIndex(where: touches) {
      let next = others.remove(at: index)
      parts.append(next)
      guard let other = next.metadata.part?.range else { continue }
      range = min(range.lowerBound, other.lowerBound)..<max(range.upperBound, other.upperBound)
    }
    return (parts, range)
  }

  /// The record of joined parts, whose first is the latest; `nil` if too much would be copied for it.
  private func joinedRecord(of parts: [Candidate], _ range: Range<Int64>) -> ResponseRecord? {
    guard parts.count > 1, let own = parts[0].metadata.part else { return nil }
    let total = parts.lazy.compactMap { $0.metadata.part?.total }.first
    guard let joined = ContentPart(range, of: total) else { return nil }
    guard joined.isWhole || (joined.length - own.length) / Self.maximumCopying <= own.length else { return nil }
    var metadata = parts[0].metadata
    metadata.part = joined.isWhole ? nil : joined
    let head = StoredHead.freshened(
      parts[1].head, by: parts[0].head, isShared: isShared, arrival: metadata.responseTime)
    var record = parts[0].stored.record
    record.variant = metadata.variant
    record.head = StoredHead.whole(head, length: total)
    record.metadata = metadata.data
    return record
  }
}

extension Candidate {
  /// The offsets of a range in the stored part.
  func offsets(_ range: Range<Int64>) -> Range<Int64> {
    let first = metadata.part?.range.lowerBound ?? 0
    return range.lowerBound - first..<range.upperBound - first
  }
}

/// Reads parts of one content in their order, without the bytes that they have in common.
private struct JoinedContent {
  private let storage: CacheStorage
  private var slices: [(StoredResponse, Range<Int64>)] = []
  private var reader: ContentReader?

  init(of parts: [Candidate], in storage: CacheStorage) {
    self.storage = storage
    var position: Int64 = 0
    let sorted = parts.compactMap { part in part.metadata.part.map { (part, $0.range) } }
      .sorted { $0.1.lowerBound < $1.1.lowerBound }
    for (part, range) in sorted where range.upperBound > position {
      slices.append((part.stored, part.offsets(max(position, range.lowerBound)..<range.upperBound)))
      position = range.upperBound
    }
  }

  mutating func next() async -> EntryQueue.Piece {
    do throws(LupineError) {
      while true {
        if let reader, let bytes = try await storage.next(of: reader) { return .bytes(bytes) }
        guard let (stored, range) = slices.first else { return .end(nil) }
        slices.removeFirst()
        guard let content = try await storage.store.content(of: stored, in: range) else {
          return .failure(StoringRefusal(reason: "a part of it is gone"))
        }
        reader = ContentReader(content)
      }
    } catch {
      return .failure(StoringRefusal(error))
    }
  }
}
