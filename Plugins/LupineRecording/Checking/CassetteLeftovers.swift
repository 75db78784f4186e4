public import LupineCore
import LupineFoundation
import LupineSupport

/// The files in a folder of cassettes that nothing needs: bodies that no cassette names, and incomplete files of
/// recordings whose process was killed.
///
/// While the value exists, no recording continues one of these recordings. All calls block while the disk works.
public struct CassetteLeftovers: Sendable {
  /// The names of the files, sorted.
  public let names: [String]
  private let folder: String
  /// While these are locked, no recording continues one that was killed.
  private let journals: [JournalFile]

  /// Searches a folder, but none inside it.
  ///
  /// A journal that has exchanges stays, with its bodies: the next recording of the cassette takes them in.
  ///
  /// - Throws: kind `recordingFailed` if a recording is under way in the folder; kind `invalidCassette` if a cassette is
  ///   damaged, so that it is not known which files it needs; kind `fileFailed` if the folder cannot be read.
  public init(in folder: String) throws(LupineError) {
    self.folder = folder
    let all: [String]
    do {
      all = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw LupineError(.fileFailed, "The folder \(folder) cannot be read: \(error)", underlying: error)
    }
    var journals: [JournalFile] = []
    var needed: Set<String> = []
    for name in all where name.hasSuffix(".cassette.part") {
      let journal = try JournalFile.reopen("\(folder)/\(name)")
      journals.append(journal)
      guard let contents = try JournalContents(journal) else { continue }
      needed.formUnion(contents.blocks.flatMap(\.fileNames) + [name])
    }
    self.journals = journals
    for name in all where name.hasSuffix(".cassette") || name.hasSuffix(".cassette.new") {
      do throws(LupineError) {
        needed.formUnion(try CassetteContents(contentsOf: "\(folder)/\(name)").blocks.flatMap(\.fileNames))
        // A complete replacement of a cassette may be the only copy of a recording.
        if name.hasSuffix(".new") { needed.insert(name) }
      } catch {
        if !name.hasSuffix(".new") { throw error }
      }
    }
    names = all.filter { Self.belongsToRecordings($0) && !needed.contains($0) }.sorted()
  }

  /// Whether a file is the body, the journal or an incomplete file of a recording.
  private static func belongsToRecordings(_ name: String) -> Bool {
    if name.hasSuffix(".cassette.part") || name.hasSuffix(".cassette.new") { return true }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last else { return false }
    if name.hasPrefix(".") { return last.hasSuffix(".part") && last.dropLast(5).utf8.allSatisfy(\.isDigit) }
    return last.hasSuffix(".bin") && last.utf8.count == 20 && last.dropLast(4).utf8.allSatisfy(\.isHex)
  }

  /// Removes the files.
  ///
  /// - Throws: kind `fileFailed` with the first file that cannot be removed.
  public func remove() throws(LupineError) {
    for name in names {
      do {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      } catch {
        throw LupineError(.fileFailed, "\(folder)/\(name) cannot be removed: \(error)", underlying: error)
      }
    }
  }
}

extension CassetteBlock {
  /// The names of the files that have the bodies of an exchange.
  fileprivate var fileNames: [String] {
    if case .entry(let entry) = content { entry.bodyFiles.map(\.name) } else { [] }
  }
}
