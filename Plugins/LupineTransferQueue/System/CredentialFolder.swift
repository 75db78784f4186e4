import LupineCore
import LupineFoundation
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

/// A folder with one file for each credential.
struct CredentialFolder: Sendable {
  enum Content: Sendable {
    case token(String)
    case login(Credential)
  }

  private static let maximumSize = 16 << 10

  let path: String
  /// Whether the system's manager makes the files, which then may belong to root and be readable by their group.
  let isSystem: Bool

  /// Reads the file of a credential; `nil` if there is none.
  func read(_ name: String) throws(LupineError) -> Content? {
    guard Self.isName(name) else {
      throw LupineError(
        .adaptationFailed,
        "\(name.debugDescription) names no file of a credential: a name has letters, digits and the characters . _ - @, "
          + "and does not begin with a dot.")
    }
    let file = "\(path)/\(name)"
    guard let opened = Descriptor(open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw LupineError.file("cannot be opened", file, code: errno)
    }
    try check(opened, file)
    var bytes = [UInt8](repeating: 0, count: Self.maximumSize + 1)
    let (count, error) = bytes.withUnsafeMutableBytes { $0.fill(from: opened.number, at: 0) }
    if let error { throw LupineError.file("cannot be read", file, code: error) }
    guard count <= Self.maximumSize, let content = Self.content(of: bytes.prefix(count)) else {
      throw refusal(file, "must have one line: Bearer and a token, or a username, a colon and a password")
    }
    return content
  }

  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && name.utf8.first != UInt8(ascii: ".")
      && name.utf8.allSatisfy { byte in
        byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
          || "._-@".utf8.contains(byte)
      }
  }

  private func check(_ file: borrowing Descriptor, _ path: String) throws(LupineError) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw LupineError.file("cannot be examined", path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw refusal(path, "is no regular file") }
    let others: mode_t = isSystem ? S_IRWXO | S_IWGRP : S_IRWXO | S_IRWXG
    guard status.st_uid == geteuid() || isSystem && status.st_uid == 0 else {
      throw refusal(path, "belongs to another user")
    }
    guard status.st_mode & others == 0 else { throw refusal(path, "can be read by others; give it the mode 0600") }
  }

  private func refusal(_ path: String, _ reason: String) -> LupineError {
    LupineError.file(path, code: EACCES, message: "The file \(path) of a credential \(reason).")
  }

  private static func content(of bytes: some Collection<UInt8>) -> Content? {
    guard var line = String(validating: bytes, as: UTF8.self) else { return nil }
    if line.hasSuffix("\n") { line.removeLast() }
    guard !line.isEmpty, !line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    if line.hasPrefix("Bearer ") {
      let token = String(line.dropFirst(7))
      return !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? .token(token) : nil
    }
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let credential = Credential(
      username: String(line[..<colon]), password: String(line[line.index(after: colon)...]))
    return credential.username.isEmpty ? nil : .login(credential)
  }
}
