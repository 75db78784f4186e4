public import LupineCore
import LupineFoundation
import LupineSupport

/// A cassette and the journal beside it, which a recording leaves if its process is killed.
public enum CassetteFile {
  /// The path of the journal of a cassette.
  static func journal(of path: String) -> String { path + ".part" }

  /// The path of the complete text that replaces a cassette.
  ///
  /// The journal is emptied when this file is complete, before it gets the name of the cassette. So it counts if the
  /// journal is empty; otherwise it may be incomplete.
  static func replacement(of path: String) -> String { path + ".new" }

  /// Reads a cassette, with the exchanges of a journal that no recording writes now; it blocks while the disk is read.
  ///
  /// - Throws: kind `invalidCassette` if the content is damaged; kind `fileFailed` if there is no cassette, or it cannot be
  ///   read.
  public static func read(_ path: String) throws(LupineError) -> CassetteContents {
    // A journal that is in use belongs to a recording that replaces the cassette later.
    let journal = try? JournalFile.reopen(journal(of: path))
    if let contents = try contents(of: path, with: journal) { return contents }
    return try CassetteContents(contentsOf: path)
  }

  /// Reads a cassette and a journal that the caller has locked; `nil` if there is neither.
  static func contents(of path: String, with journal: JournalFile?) throws(LupineError) -> CassetteContents? {
    if let journal, try journal.isEmpty(), let replaced = try present(replacement(of: path)) { return replaced }
    let old = try present(path)
    guard let journal, let left = try JournalContents(journal) else { return old }
    let isContinued = left.header.date == old?.header.date
    let kept = old?.blocks ?? []
    let blocks = (isContinued ? kept : BlockMerge.keeping(kept, beside: left.blocks)) + left.blocks
    var header = left.header
    header.capabilities.formUnion(old?.header.capabilities ?? [])
    header.origins.merge(old?.header.origins ?? [:]) { new, _ in new }
    return try CassetteContents(CassetteWriter.text(of: header, blocks.map(\.bytes)), path: path)
  }

  private static func present(_ path: String) throws(LupineError) -> CassetteContents? {
    do throws(LupineError) {
      return try CassetteContents(contentsOf: path)
    } catch {
      if error.file?.kind == .notFound { return nil }
      throw error
    }
  }
}

/// The blocks of a journal: several headers, of which the last one counts, and exchanges.
///
/// A last block that is not complete, because the process was killed while it wrote, is left out.
struct JournalContents {
  let header: Cassette.Header
  let blocks: [CassetteBlock]

  /// Returns `nil` if the journal has no exchange.
  init?(_ journal: JournalFile) throws(LupineError) {
    var reader = CassetteReader(path: journal.path)
    var blocks: [CassetteBlock] = []
    try journal.forEachPiece { (piece) throws(LupineError) in blocks += try reader.read(piece) }
    if let last = try reader.finish(allowingTruncation: true) { blocks.append(last) }
    var header: Cassette.Header?
    var entries: [CassetteBlock] = []
    for block in blocks {
      switch block.content {
      case .header(let later): header = later
      case .entry: entries.append(block)
      }
    }
    guard let header, !entries.isEmpty else { return nil }
    self.header = header
    self.blocks = entries
  }
}
