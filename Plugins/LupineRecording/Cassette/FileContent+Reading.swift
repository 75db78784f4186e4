import LupineCore
import LupineFoundation
import LupineSupport

extension CassetteFolder {
  /// Reads the whole file of a body; it blocks while the disk is read.
  ///
  /// - Throws: `LupineError` of kind `invalidCassette` if the file is missing, or has another length or digest.
  func contents(of file: Cassette.FileContent) throws(LupineError) -> Data {
    let open = try openBody(file)
    let data = Data(try open.read(at: 0, count: Int(clamping: file.length)))
    guard SHA256.digest(of: data) == file.sha256 else { throw .changedFile(open.path) }
    return data
  }

  /// Opens the file of a body and compares its length.
  func openBody(_ file: Cassette.FileContent) throws(LupineError) -> FolderFile {
    let open = try open(file.name, as: .invalidCassette)
    guard open.length == file.length else {
      throw LupineError(
        .invalidCassette, "The file \(open.path) has \(open.length) bytes, but its cassette says \(file.length).")
    }
    return open
  }
}

extension SHA256 {
  /// Returns the digest of bytes that are in memory.
  static func digest(of data: Data) -> Data {
    var hash = SHA256()
    data.withUnsafeBytes { hash.update($0) }
    return Data(hash.finalize())
  }
}

extension LupineError {
  /// Creates an error for a file of a body whose digest is another one.
  static func changedFile(_ path: String) -> LupineError {
    LupineError(.invalidCassette, "The file \(path) has other bytes than its cassette says; record it again.")
  }
}
