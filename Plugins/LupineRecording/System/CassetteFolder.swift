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

/// Calls the system's `open` for a folder, which a method of the same name hides.
private func openFolder(_ path: String) -> Int32 {
  if path.utf8.contains(0) {
    errno = EINVAL
    return -1
  }
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
}

/// Opens a file of a folder, but no symbolic link.
private func openFile(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
  if name.utf8.contains(0) {
    errno = EINVAL
    return -1
  }
  return openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode)
}

/// A folder that is open, in which a cassette and the files of its bodies lie.
///
/// Names are relative to the open folder, and no symbolic link is followed, so that no name leads out of the folder. The
/// path of the folder itself may contain links. All calls block while the disk works.
final class CassetteFolder: Sendable {
  /// The path, for errors.
  let path: String
  private let descriptor: Int32

  /// Opens a folder.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  init(at path: String) throws(LupineError) {
    self.path = path
    descriptor = openFolder(path)
    guard descriptor >= 0 else { throw LupineError.file("cannot be opened", path, code: errno) }
  }

  /// Opens the folder of a cassette.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  convenience init(of cassette: String) throws(LupineError) { try self.init(at: Self.path(of: cassette)) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The path of the folder that a cassette lies in.
  static func path(of cassette: String) -> String {
    guard let slash = cassette.utf8.lastIndex(of: .slash) else { return "." }
    return slash == cassette.startIndex ? "/" : String(cassette[..<slash])
  }

  /// The part of a path after its last slash.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: .slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// Opens a regular file for reading.
  ///
  /// - Parameter kind: the kind of the errors.
  func open(_ name: String, as kind: LupineError.Kind) throws(LupineError) -> FolderFile {
    // Without O_NONBLOCK the opening of a named pipe would wait for a writer.
    try file(name, openFile(descriptor, name, O_RDONLY | O_NONBLOCK), as: kind)
  }

  /// Creates a file that only this user can read, open for writing and reading.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if the name exists.
  func create(_ name: String) throws(LupineError) -> FolderFile {
    try file(name, openFile(descriptor, name, O_RDWR | O_CREAT | O_EXCL, 0o600), as: .fileFailed)
  }

  private func file(
    _ name: String, _ file: Int32, as kind: LupineError.Kind
  ) throws(LupineError) -> FolderFile {
    let code = errno
    let path = "\(self.path)/\(name)"
    if file < 0, code == ELOOP {
      throw LupineError.file(path, code: code, as: kind, message: "\(path) is a symbolic link, which is not followed.")
    }
    guard file >= 0 else { throw LupineError.file("cannot be opened", path, code: code, as: kind) }
    return try FolderFile(file, path: path, kind: kind)
  }

  /// Gives a file another name, and replaces an existing file of that name atomically.
  func rename(_ name: String, to other: String) throws(LupineError) {
    guard renameat(descriptor, name, descriptor, other) == 0 else {
      throw LupineError.file("cannot be renamed to \(other)", "\(path)/\(name)", code: errno)
    }
  }

  /// Removes a file, if it exists.
  func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Waits until the names of the folder's files are on the disk.
  func synchronize() throws(LupineError) {
    // Some file systems cannot synchronize a folder, and say so.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw LupineError.file("cannot be written to the disk", path, code: errno)
    }
  }
}

/// An open regular file in the folder of a cassette.
final class FolderFile: Sendable {
  /// The path, for errors.
  let path: String
  /// The number of bytes when the file was opened.
  let length: Int64
  private let kind: LupineError.Kind
  private let descriptor: Int32

  /// Takes the descriptor over.
  fileprivate init(_ descriptor: Int32, path: String, kind: LupineError.Kind) throws(LupineError) {
    self.descriptor = descriptor
    self.path = path
    self.kind = kind
    var status = stat()
    let result = fstat(descriptor, &status)
    let code = errno
    length = Int64(status.st_size)
    guard result == 0 else { throw LupineError.file("cannot be examined", path, code: code, as: kind) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LupineError.file(path, code: EINVAL, as: kind, message: "\(path) is not a regular file.")
    }
  }

  deinit { close(descriptor) }

  /// Reads at a position; returns fewer bytes at the end of the file.
  func read(at position: Int64, count: Int) throws(LupineError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
      (found, failure) = UnsafeMutableRawBufferPointer(buffer).fill(from: descriptor, at: position)
    }
    if let failure { throw LupineError.file("cannot be read", path, code: failure, as: kind) }
    return bytes
  }

  /// Reads the file from its beginning to its end; the closure receives at most 1 MiB at once.
  func forEachPiece(_ use: ([UInt8]) throws(LupineError) -> Void) throws(LupineError) {
    var position: Int64 = 0
    while case let piece = try read(at: position, count: 1 << 20), !piece.isEmpty {
      try use(piece)
      position += Int64(piece.count)
    }
  }

  /// Writes all bytes at a position.
  func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(LupineError) {
    guard let code = bytes.write(to: descriptor, at: position) else { return }
    throw LupineError.file("cannot be written", path, code: code, as: kind)
  }

  /// Writes all bytes at a position.
  func write(_ bytes: [UInt8], at position: Int64) throws(LupineError) {
    let result = bytes.withUnsafeBytes { bytes in Result { () throws(LupineError) in try write(bytes, at: position) } }
    try result.get()
  }

  /// Lets everyone read the file, and waits until its content is on the disk.
  func publish() throws(LupineError) {
    guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else {
      throw LupineError.file("cannot be written to the disk", path, code: errno, as: kind)
    }
  }
}
