import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Writes the bodies of a cassette that stand in files beside it.
///
/// All calls block while the disk works.
final class BodyStore: Sendable {
  /// The number of bytes up to which a text stands in the cassette itself: 64 KiB.
  static let inlineText = 64 << 10
  /// The number of bytes up to which a body that is not text stands in the cassette itself: 1 KiB.
  static let inlineBinary = 1 << 10

  private let folder: CassetteFolder
  /// The name of the cassette without its extension, which begins the name of each file.
  private let stem: String
  private let next = Atomic<Int>(0)

  /// Opens the folder of a cassette.
  ///
  /// - Parameter path: the path of the cassette, whose name has no control characters.
  /// - Throws: `LupineError` of kind `fileFailed`.
  init(cassette path: String) throws(LupineError) {
    folder = try CassetteFolder(of: path)
    let name = CassetteFolder.name(of: path)
    stem = name.hasSuffix(".cassette") ? String(name.dropLast(9)) : name
    guard Cassette.FileContent.isName(name), stem.utf8.count <= 200 else {
      throw LupineError(
        .fileFailed,
        "A cassette cannot have the name \(name.debugDescription): a name has at most 200 bytes, does not begin with a "
          + "dot, and contains no `..`, backslash or control character.")
    }
  }

  /// Returns bytes as the content of a cassette, and writes them to a file if they are long or not text.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  func content(_ data: Data) throws(LupineError) -> Cassette.Content {
    if data.isEmpty { return .none }
    let isText = data.count > Self.inlineText || ContentLine.text(Array(data)) != nil
    if data.count <= (isText ? Self.inlineText : Self.inlineBinary) { return .inline(data) }
    let file = try begin()
    try file.append(data)
    return .file(try keep(file))
  }

  /// Creates a file without a name, so that a killed process leaves none.
  ///
  /// Where the file system has no such files, the file has a hidden name.
  func begin() throws(LupineError) -> PendingFile {
    if let file = try folder.createUnnamed() { return PendingFile(file, name: nil, in: folder) }
    return try withHiddenName { name throws(LupineError) in
      PendingFile(try folder.create(name), name: name, in: folder)
    }
  }

  /// Calls the closure with hidden names until it creates a file with one that is free.
  private func withHiddenName<Result>(
    _ create: (String) throws(LupineError) -> Result
  ) throws(LupineError) -> Result {
    while true {
      do throws(LupineError) {
        return try create(".\(stem)-\(next.add(1, ordering: .relaxed).newValue).part")
      } catch {
        // Another process, or one that was killed, has used the name.
        guard error.file?.kind == .exists else { throw error }
      }
    }
  }

  /// Gives a file its final name, after its digest; an equal file of that name is replaced.
  func keep(_ file: PendingFile) throws(LupineError) -> Cassette.FileContent {
    let (length, sha256) = file.digest
    let name = "\(stem)-\(Hexadecimal.text(Array(sha256.prefix(8)))).bin"
    try keep(file, as: name)
    return Cassette.FileContent(name: name, length: length, sha256: sha256)
  }

  /// Gives a file this name, after its bytes are on the disk; a file of that name is replaced.
  func keep(_ file: PendingFile, as name: String) throws(LupineError) {
    try file.file.publish()
    if !file.hasName { try withHiddenName { hidden throws(LupineError) in try file.link(as: hidden) } }
    try file.rename(to: name)
  }
}

/// A file that is being written beside a cassette, and is removed unless `BodyStore.keep(_:)` keeps it.
///
/// Its calls do not overlap.
final class PendingFile: Sendable {
  private struct State {
    var length: Int64 = 0
    var hash = SHA256()
    /// The hidden name; `nil` while the file has none, and once it is kept.
    var name: String?
  }

  fileprivate let file: FolderFile
  private let folder: CassetteFolder
  private let state: Mutex<State>

  fileprivate init(_ file: FolderFile, name: String?, in folder: CassetteFolder) {
    self.file = file
    self.folder = folder
    state = Mutex(State(name: name))
  }

  deinit { if let name = state.withLock(\.name) { folder.remove(name) } }

  /// The number of bytes that have been written.
  var length: Int64 { state.withLock(\.length) }

  /// The number of all bytes and their SHA-256.
  fileprivate var digest: (Int64, Data) {
    let state = state.withLock { $0 }
    var hash = state.hash
    return (state.length, Data(hash.finalize()))
  }

  fileprivate var hasName: Bool { state.withLock { $0.name != nil } }

  /// Gives the file a hidden name.
  fileprivate func link(as name: String) throws(LupineError) {
    try folder.link(file, as: name)
    state.withLock { $0.name = name }
  }

  /// Gives the file, which has a hidden name, its final one; a file of that name is replaced.
  fileprivate func rename(to name: String) throws(LupineError) {
    guard let hidden = state.withLock(\.name) else { return }
    try folder.rename(hidden, to: name)
    state.withLock { $0.name = nil }
  }

  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    var next = state.withLock { $0 }
    try file.write(bytes, at: next.length)
    next.length += Int64(bytes.count)
    next.hash.update(bytes)
    state.withLock { $0 = next }
  }

  /// Appends bytes.
  func append(_ data: Data) throws(LupineError) {
    let result = data.withUnsafeBytes { bytes in Result { () throws(LupineError) in try append(bytes) } }
    try result.get()
  }

  /// Reads the bytes again, piece by piece from the beginning.
  func forEachPiece(_ use: ([UInt8]) throws(LupineError) -> Void) throws(LupineError) { try file.forEachPiece(use) }
}
