public import LupineCore

extension LupineError.Kind {
  /// A recording cannot be made, for the reason in the message.
  public static let recordingFailed = LupineError.Kind.plugin("recordingFailed")
}

/// The file of a recording under way, which one recording at a time writes.
///
/// The calls may block, and do not overlap.
final class JournalFile: Sendable {
  let path: String
  private let folder: CassetteFolder
  private let file: FolderFile

  /// Opens or creates the file, and locks it.
  ///
  /// - Throws: kind `recordingFailed` if another recording has the lock; kind `fileFailed` if the file cannot be opened.
  static func create(_ path: String) throws(LupineError) -> JournalFile { try open(path, creating: true) }

  /// Opens the file of a recording that was killed, and locks it.
  ///
  /// - Throws: as `create(_:)`; kind `fileFailed` if there is none.
  static func reopen(_ path: String) throws(LupineError) -> JournalFile { try open(path, creating: false) }

  private static func open(_ path: String, creating isNew: Bool) throws(LupineError) -> JournalFile {
    let folder = try CassetteFolder(of: path)
    while true {
      let file = JournalFile(
        path, folder, try folder.openToWrite(CassetteFolder.name(of: path), creating: isNew))
      guard try file.file.lock() else {
        throw LupineError(
          .recordingFailed,
          "Another test or process is recording into the cassette of \(path); give each recording a cassette of its own."
        )
      }
      // The former owner may have removed the file between the opening and the lock.
      if file.isNamed { return file }
    }
  }

  private init(_ path: String, _ folder: CassetteFolder, _ file: FolderFile) {
    self.path = path
    self.folder = folder
    self.file = file
  }

  /// Whether the path still names the open file.
  private var isNamed: Bool { folder.isName(CassetteFolder.name(of: path), of: file) }

  /// Whether the file has no bytes.
  func isEmpty() throws(LupineError) -> Bool { try file.read(at: 0, count: 1).isEmpty }

  /// Reads the file from its beginning to its end, piece by piece.
  func forEachPiece(_ use: ([UInt8]) throws(LupineError) -> Void) throws(LupineError) { try file.forEachPiece(use) }

  /// Writes bytes at a position; after an error the file ends at that position again.
  func write(_ bytes: [UInt8], at position: Int64) throws(LupineError) {
    do throws(LupineError) {
      try file.write(bytes, at: position)
    } catch {
      try? truncate(to: position)
      throw error
    }
  }

  func truncate(to length: Int64) throws(LupineError) { try file.truncate(to: length) }

  /// Removes the file; the lock ends with this value.
  func remove() { if isNamed { folder.remove(CassetteFolder.name(of: path)) } }
}
