import Glibc
import LupineCore

/// The folders on the way to a download's destination.
enum Folder {
  /// Makes the folders where that is wanted, and finds out at the head what would be in the file's way at the end.
  static func prepare(for place: DownloadDestination.Place) throws(LupineError) {
    try make(for: place)
    var status = stat()
    guard lstat(place.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw LupineError.file(
        place.path, code: EISDIR,
        message: "There is a folder at \(place.path), which no file replaces; name a file in it.")
    }
    guard status.st_mode & S_IFMT != S_IFLNK || !leadsToFolder(place.path) else {
      throw LupineError.file(
        place.path, code: EISDIR,
        message: "There is a link to a folder at \(place.path), which no file replaces; name a file in it.")
    }
    guard !place.options.contains(.removePreviousFile) else { return }
    throw LupineError.file(
      place.path, code: EEXIST,
      message: "There is a file at \(place.path) already; add .removePreviousFile where it is to be replaced.")
  }

  private static func leadsToFolder(_ link: String) -> Bool {
    var status = stat()
    return stat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes the folders where that is wanted.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also where there is no folder then.
  static func make(for place: DownloadDestination.Place) throws(LupineError) {
    try checkName(place.path)
    if place.options.contains(.createIntermediateDirectories) { return try create(above: place.path) }
    var status = stat()
    let folder = above(place.path)
    guard stat(folder, &status) != 0, errno == ENOENT else { return }
    throw LupineError.file(
      folder, code: ENOENT,
      message: "There is no folder \(folder); make it, or add .createIntermediateDirectories where it is to be made.")
  }

  /// The system reads a path up to its first zero byte, and would take another file; beside an empty one it would make
  /// files in the folder that the process works in.
  static func checkName(_ path: String) throws(LupineError) {
    guard !path.isEmpty else {
      throw LupineError.file(
        path, code: EINVAL,
        message: "The path is empty, so it names no file; the folder that the process works in is \".\".")
    }
    guard path.utf8.contains(0) else { return }
    throw LupineError.file(
      path, code: EINVAL, message: "The path \(path.debugDescription) holds a zero byte, so it names no file.")
  }

  /// The folder that a path's last part lies in.
  static func above(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func create(above path: String) throws(LupineError) {
    var folder = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if mkdir(folder, 0o777) != 0, errno != EEXIST { throw LupineError.file("cannot be created", folder) }
    }
  }
}

/// Opens files that this user wrote, and nobody else could.
///
/// What a checkpoint says decides which file is written over and which is removed.
enum OwnFile {
  /// A descriptor of a regular file, for the caller to close, and its length in bytes.
  ///
  /// `nil` where there is none, and for a symbolic link, a file of another user, one that others may write, and one that
  /// has a second name.
  static func open(_ path: String, _ access: Int32) -> (descriptor: Int32, length: Int64)? {
    guard !path.utf8.contains(0) else { return nil }
    let descriptor = Glibc.open(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    guard let length = Self.length(of: descriptor, at: path) else {
      close(descriptor)
      return nil
    }
    return (descriptor, length)
  }

  /// The length of an open file; `nil` where it is no such file, or where another has come to its path.
  static func length(of descriptor: Int32, at path: String) -> Int64? {
    var status = stat()
    var named = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_nlink == 1, lstat(path, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev,
      isAlone(status.st_mode, beside: { PartialFile.modeOfNew(beside: path) })
    else { return nil }
    return Int64(status.st_size)
  }

  /// Whether a file's mode lets nobody else write, or says nothing: where the file system keeps no modes, as VFAT and some
  /// shared folders, a new file that is to be its owner's alone shows the same one.
  static func isAlone(_ mode: mode_t, beside modeOfNew: () -> mode_t?) -> Bool {
    let others = mode & (S_IWGRP | S_IWOTH)
    return others == 0 || modeOfNew().map { $0 & others == others } ?? false
  }
}
