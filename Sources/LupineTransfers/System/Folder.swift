import LupineCore
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

/// The folders that contain a download's destination.
enum Folder {
  /// Creates the folders if `creatingFolders` is true, and checks at the head whether the move at the end can succeed.
  static func prepare(for path: String, creatingFolders: Bool, replacing: Bool) throws(LupineError) {
    try make(for: path, creatingFolders: creatingFolders)
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw LupineError.file(
        path, code: EISDIR,
        message: "There is a folder at \(path), and a file cannot replace it; name a file in the folder.")
    }
    guard status.st_mode & S_IFMT != S_IFLNK || !leadsToFolder(path) else {
      throw LupineError.file(
        path, code: EISDIR,
        message: "There is a link to a folder at \(path), and a file cannot replace it; name a file in the folder.")
    }
    guard !replacing else { return }
    throw LupineError.file(
      path, code: EEXIST,
      message: "There is already a file at \(path); add .removePreviousFile to replace it.")
  }

  private static func leadsToFolder(_ link: String) -> Bool {
    var status = stat()
    return stat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Creates the folders if `creatingFolders` is true.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if the folder does not exist afterwards.
  static func make(for path: String, creatingFolders: Bool) throws(LupineError) {
    try checkName(path)
    if creatingFolders { return try create(above: path) }
    var status = stat()
    let folder = above(path)
    guard stat(folder, &status) != 0, errno == ENOENT else { return }
    throw LupineError.file(
      folder, code: ENOENT,
      message: "There is no folder \(folder); create it, or add .createIntermediateDirectories.")
  }

  /// Refuses a path that is empty or has a zero byte.
  ///
  /// The system reads a path up to its first zero byte and would use another file. With an empty path, files would be
  /// made in the current folder of the process.
  static func checkName(_ path: String) throws(LupineError) {
    guard !path.isEmpty else {
      throw LupineError.file(
        path, code: EINVAL,
        message: "The path is empty, so it names no file; the current folder of the process is \".\".")
    }
    guard path.utf8.contains(0) else { return }
    throw LupineError.file(
      path, code: EINVAL, message: "The path \(path.debugDescription) contains a zero byte, so it names no file.")
  }

  /// Returns the folder that contains the last part of a path.
  static func above(_ path: String) -> String {
    let (folder, _) = split(path)
    return folder.isEmpty ? "." : folder.utf8.count == 1 ? "/" : String(folder.utf8.dropLast()) ?? "."
  }

  /// Splits a path after its last slash.
  ///
  /// A slash is a byte: with a combining mark after it, it is not equal to the character.
  static func split(_ path: String) -> (folder: Substring, name: Substring) {
    guard let slash = path.utf8.lastIndex(of: .slash) else { return ("", path[...]) }
    let start = path.utf8.index(after: slash)
    return (path[..<start], path[start...])
  }

  private static func create(above path: String) throws(LupineError) {
    var folder = path.utf8.first == .slash ? "" : "."
    for part in path.utf8.split(separator: .slash).dropLast() {
      folder += "/" + Substring(part)
      if mkdir(folder, 0o777) != 0, errno != EEXIST { throw LupineError.file("cannot be created", folder, code: errno) }
    }
  }
}
