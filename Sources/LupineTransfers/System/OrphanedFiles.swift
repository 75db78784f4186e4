import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The partial files of processes that ended before their downloads could be resumed.
///
/// The names of such files have a suffix, with the number of the running system. Each download locks its file. An orphan
/// is a file of this user, with such a name, that no process has locked. A file with another number was written before
/// a restart of the system or by another machine, whose locks this machine may not see. It must also be unchanged for a
/// day.
enum OrphanedFiles {
  /// The beginning of the names of temporary files.
  static let temporaryPrefix = "lupine-download"
  private static let mark = ".part-"
  private static let randomLength = 13
  /// The number of the running system: eight hexadecimal digits; `nil` if it is unknown.
  private static let system = systemNumber
  /// For how long a file of another system must be unchanged, in seconds.
  private static let age = 86_400
  /// The maximum number of entries of a folder that are read.
  private static let entryLimit = 100_000
  /// The folders whose orphans this process has removed.
  private static let folders = Mutex(RecentTable<String, Bool>(limit: 100))

  private static var systemNumber: String? {
    guard let data = try? OpenFile(reading: "/proc/sys/kernel/random/boot_id", orFailAs: .fileFailed).data(count: 8)
    else { return nil }
    let text = String(decoding: data, as: UTF8.self)
    return text.utf8.count == 8 && text.utf8.allSatisfy(\.isHex) ? text : nil
  }

  /// Returns an unpredictable path for a new file.
  static func path(_ base: String) -> String {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    let digits = String(repeating: "0", count: max(0, randomLength - random.utf8.count)) + random
    return base + "." + digits + mark + (system ?? "00000000")
  }

  /// Returns the path without the suffix; `nil` if it has none.
  static func lastingPath(of path: String) -> String? {
    let (folder, name) = Folder.split(path)
    return suffix(of: String(name)).map { "\(folder)\(name.dropLast($0.utf8.count))" }
  }

  /// Removes the orphans in a folder, unless this process has done so recently.
  static func removeOnce(in folder: String) {
    let isFirst = folders.withLock { folders in
      defer { folders[folder] = true }
      return folders[folder] == nil
    }
    if isFirst { _ = remove(in: folder) }
  }

  /// Removes the orphans in a folder, and returns their number.
  static func remove(in folder: String) -> Int {
    guard let directory = opendir(folder) else { return 0 }
    defer { closedir(directory) }
    var (count, entries) = (0, 0)
    while entries < entryLimit, let entry = readdir(directory) {
      entries += 1
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, let suffix = suffix(of: name), removeOrphan(folder + "/" + name, suffix) { count += 1 }
    }
    return count
  }

  private static func removeOrphan(_ path: String, _ suffix: Substring) -> Bool {
    guard let (descriptor, _) = OwnFile.open(path, O_RDWR) else { return false }
    // Closing the descriptor releases the lock, after the file is removed.
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, OwnFile.length(of: descriptor, at: path) != nil,
      system.map({ suffix.hasSuffix($0) }) == true || isOld(descriptor)
    else { return false }
    return unlink(path) == 0
  }

  private static func isOld(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && time(nil) - status.modified > age
  }

  /// Returns the suffix of the name of a file that may be an orphan; `nil` for any other name.
  private static func suffix(of name: String) -> Substring? {
    let parts = name.utf8.split(separator: .dot, omittingEmptySubsequences: false)
    // A dot, the name of the destination, the random characters and the mark.
    guard name.hasPrefix(".") && parts.count >= 4 || name.hasPrefix(temporaryPrefix + ".") && parts.count == 3,
      let last = parts.last.map({ Substring($0) })
    else { return nil }
    let random = parts[parts.count - 2]
    guard last.hasPrefix(mark.dropFirst()), last.utf8.count == mark.utf8.count - 1 + 8,
      last.utf8.suffix(8).allSatisfy(\.isHex), random.count == randomLength,
      random.allSatisfy({ $0.isDigit || $0.isLetter && !$0.isUpper })
    else { return nil }
    return name.suffix(mark.utf8.count + 8)
  }
}

extension stat {
  /// The time of the last change of the content, in seconds since 1970.
  fileprivate var modified: time_t {
    #if canImport(Darwin)
      st_mtimespec.tv_sec
    #else
      st_mtim.tv_sec
    #endif
  }
}
