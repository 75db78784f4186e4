import LupineCore
import LupineSQLiteConnection
import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The move of a complete download to its destination.
///
/// The download is complete under a name of the queue's own first, and its identity is in the database before it is
/// moved. A process that begins after a kill therefore knows whether a file at the destination is the download.
enum Placement {
  /// The identity of a complete download; `nil` if there is no such file of this user.
  ///
  /// Its group may be able to write it: the umask of the process decides.
  static func identity(of path: String) -> [UInt8]? {
    guard let status = FileStatus.of(path), status.belongsToUser, !status.isFolder, !status.isLink else { return nil }
    return [UInt8]("\(status.device) \(status.inode) \(status.size)".utf8)
  }

  /// Moves the file, and flushes the folder.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if a file is at the destination that must not be replaced.
  static func move(_ staged: String, to destination: String, replacing: Bool) throws(LupineError) {
    if replacing {
      if FileStatus.of(destination)?.isFolder == true {
        throw LupineError.file("is a folder and cannot be replaced", destination, code: EISDIR)
      }
      guard rename(staged, destination) == 0 else { throw failure(staged, destination, errno) }
    } else {
      guard ExclusiveRename.rename(staged, to: destination) else { throw failure(staged, destination, errno) }
    }
    try QueueFolder.flushFolder(above: destination)
  }

  /// Removes a complete download, or its second name: a file system without an exclusive rename moves in two steps.
  ///
  /// - Returns: false if the file is still there.
  @discardableResult
  static func removeStaged(_ staged: String) -> Bool { unlink(staged) == 0 || errno == ENOENT }

  /// Removes the partial files of a download that has ended, which a process left that was killed before their name was
  /// in a checkpoint.
  ///
  /// - Returns: false if one of them is still there.
  @discardableResult
  static func removePartials(of staged: String) -> Bool {
    var (folder, name) = (".", staged[...])
    if let slash = staged.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folder = slash == staged.startIndex ? "/" : String(staged[..<slash])
      name = staged[staged.utf8.index(after: slash)...]
    }
    // The name of a partial file begins with a dot, the name of its file and a dot.
    let prefix = Array(".\(name).".utf8)
    guard let list = opendir(folder) else { return true }
    defer { closedir(list) }
    var areGone = true
    while let entry = readdir(list) {
      let found = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard found.starts(with: prefix) else { continue }
      let path = "\(folder)/\(String(decoding: found, as: UTF8.self))"
      if FileStatus.of(path)?.isOwnFile == true, unlink(path) != 0, errno != ENOENT { areGone = false }
    }
    return areGone
  }

  /// The error of a download whose destination has a file before it begins.
  static func occupied(_ destination: String) -> LupineError {
    LupineError.file(
      destination, code: EEXIST,
      message:
        "There is already a file at \(destination); make room and resume the transfer, or add .removePreviousFile "
        + "to replace the file.")
  }

  private static func failure(_ staged: String, _ destination: String, _ code: Int32) -> LupineError {
    guard code == EEXIST else { return LupineError.file("cannot be moved into place", destination, code: code) }
    return LupineError.file(
      destination, code: code,
      message: "There is already a file at \(destination). The complete file is \(staged); make room and resume the "
        + "transfer, or add .removePreviousFile to replace the other file.")
  }
}
