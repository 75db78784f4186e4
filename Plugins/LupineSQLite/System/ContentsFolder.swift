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

/// The folder with a file for each large content.
///
/// Files are named by the nonces of their responses. The folder is opened once, so that its files stay the same when
/// its path is changed.
final class ContentsFolder: Sendable {
  private let path: String
  private let folder: Descriptor

  init(path: String, _ folder: consuming Descriptor) {
    self.path = path
    self.folder = folder
  }

  /// Creates a file, locked until it is closed.
  ///
  /// Another process, which removes files without a row, leaves a locked file alone.
  func create(_ nonce: UInt64) throws(LupineError) -> ContentFile {
    let name = Self.name(nonce)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(openat(folder.number, name, flags, 0o600)) else {
      throw LupineError.file("cannot be created", path(name), code: errno)
    }
    // The other process may have locked and removed the file before this one locked it.
    guard file.lock(), file.status?.isOwnFile == true else {
      remove(nonce)
      throw LupineError.file("was removed by another process", path(name), code: ENOENT)
    }
    return ContentFile(path: path(name), file)
  }

  /// Opens a file for reading; returns `nil` if there is no such file of this user with this length.
  func open(_ nonce: UInt64, length: Int64) throws(LupineError) -> ContentFile? {
    let name = Self.name(nonce)
    guard let file = Descriptor(openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) else {
      if errno == ENOENT || errno == ELOOP { return nil }
      throw LupineError.file("cannot be opened", path(name), code: errno)
    }
    guard let status = file.status, status.isOwnFile, status.size == length else { return nil }
    return ContentFile(path: path(name), file)
  }

  /// Whether there is a file of that name.
  func contains(_ nonce: UInt64) -> Bool { faccessat(folder.number, Self.name(nonce), F_OK, 0) == 0 }

  func remove(_ nonce: UInt64) { unlinkat(folder.number, Self.name(nonce), 0) }

  /// Removes a file that no process is writing.
  func removeAbandoned(_ nonce: UInt64) {
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    guard let file = Descriptor(openat(folder.number, Self.name(nonce), flags)) else {
      // A symbolic link, which no writer makes.
      if errno == ELOOP { remove(nonce) }
      return
    }
    if file.lock() { remove(nonce) }
  }

  /// The nonces whose names the folder has.
  func nonces() throws(LupineError) -> Set<UInt64> {
    guard let list = opendir(path) else { throw LupineError.file("cannot be listed", path, code: errno) }
    defer { closedir(list) }
    var found: Set<UInt64> = []
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let nonce = UInt64(name, radix: 16), Self.name(nonce) == name { found.insert(nonce) }
    }
    return found
  }

  private func path(_ name: String) -> String { path + "/" + name }

  private static func name(_ nonce: UInt64) -> String {
    let digits = String(nonce, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// An open file with one content.
final class ContentFile: Sendable {
  private let path: String
  private let file: Descriptor

  init(path: String, _ file: consuming Descriptor) {
    self.path = path
    self.file = file
  }

  /// Lets each process remove the file if it has no row.
  func unlock() { file.unlock() }

  /// Writes bytes at a position.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LupineError) {
    if let code = bytes.write(to: file.number, at: offset) {
      throw LupineError.file("cannot be written", path, code: code)
    }
  }

  /// Reads bytes at a position; returns fewer at the file's end.
  func read(_ count: Int, at offset: Int64) throws(LupineError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
      let buffer = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      (found, failure) = buffer.fill(from: file.number, at: offset)
    }
    if let failure { throw LupineError.file("cannot be read", path, code: failure, as: .bodyFailed) }
    return bytes
  }
}
