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

/// A form that is being written to the folder of a queue, locked until its row is stored.
final class FormFile: Sendable {
  let name: String
  private let path: String
  private let file: Descriptor

  /// Creates the file, under another name if another process removes it before it is locked.
  static func make(
    in folder: QueueFolder, name: String, _ otherName: () -> String
  ) throws(LupineError) -> FormFile {
    do throws(LupineError) { return try FormFile(in: folder, name: name) } catch {
      guard let code = (error.underlying as? FileFailure)?.code, code == ENOENT || code == EEXIST else { throw error }
      return try FormFile(in: folder, name: otherName())
    }
  }

  private init(in folder: QueueFolder, name: String) throws(LupineError) {
    self.name = name
    path = "\(folder.forms)/\(name)"
    guard let file = Descriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)) else {
      throw LupineError.file("cannot be created", path, code: errno)
    }
    // Another process may have removed the file before it was locked.
    guard file.lock(), file.status?.isOwnFile == true else {
      throw LupineError.file("was removed by another process", path, code: ENOENT)
    }
    self.file = file
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if let code = bytes.write(to: file.number) { throw LupineError.file("cannot be written", path, code: code) }
  }

  /// Waits until the file and its name are on the disk.
  func finish() throws(LupineError) {
    guard fsync(file.number) == 0 else { throw LupineError.file("cannot be flushed to its disk", path, code: errno) }
    try QueueFolder.flushFolder(above: path)
  }

  func remove() { unlink(path) }

  /// Removes the file of an upload that has ended.
  static func remove(_ name: String, in folder: QueueFolder) { unlink("\(folder.forms)/\(name)") }
}

extension QueueFolder {
  /// Removes the forms that no row names and that no process is writing.
  ///
  /// Call it in the transaction that has read the rows: a process stores the row of a form before it unlocks the form.
  func removeAbandonedForms(except known: Set<String>) {
    guard let list = opendir(forms) else { return }
    defer { closedir(list) }
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      guard name.utf8.count == 16, !known.contains(name), let file = Descriptor(open("\(forms)/\(name)", flags)),
        file.lock()
      else { continue }
      // While it is locked: a process that makes a form with this name meanwhile locks it first.
      FormFile.remove(name, in: self)
      extendLifetime(file)
    }
  }
}
