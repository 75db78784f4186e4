public import Glibc

/// What the system has against a file; `LupineError.file` returns it.
public struct FileFailure: Error, Sendable, Hashable {
  /// The file's path, or the folder's where that is what is missing or cannot be made.
  public let path: String
  /// The system's number for the error, such as `ENOSPC`.
  public let code: Int32

  /// Describes a failure.
  ///
  /// - Parameter code: the value that `errno` had.
  public init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  /// What happened, as a program tells it apart.
  ///
  /// More cases may come; a `switch` over it keeps a `default`.
  public enum Kind: Sendable, Hashable {
    /// The disk is full, or the user's quota is used up.
    case noSpace
    /// The process may not do this to the file or its folder.
    case permissionDenied
    /// The file system can only be read.
    case readOnly
    /// There is a file already, which was not to be replaced.
    case exists
    /// There is no such file, or no such folder on the way to it.
    case notFound
    /// There is a folder where a file was to be.
    case isFolder
    /// The process, or the system, has as many open files as it may have.
    case tooManyOpenFiles
    /// The file would be larger than the file system or the process's limit allows.
    case tooLarge
    /// The path, or one of its parts, is too long, empty, or holds a zero byte.
    case badPath
    /// None of the others; `code` tells.
    case other
  }

  /// What happened, as a program tells it apart.
  public var kind: Kind {
    switch code {
    case ENOSPC, EDQUOT: .noSpace
    case EACCES, EPERM: .permissionDenied
    case EROFS: .readOnly
    case EEXIST: .exists
    case ENOENT, ENOTDIR: .notFound
    case EISDIR: .isFolder
    case EMFILE, ENFILE: .tooManyOpenFiles
    case EFBIG: .tooLarge
    case ENAMETOOLONG: .badPath
    case EINVAL where path.isEmpty || path.utf8.contains(0): .badPath
    default: .other
    }
  }
}

extension FileFailure {
  /// The path of an open file, as the system tells it; empty where it does not.
  static func path(of descriptor: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = readlink("/proc/self/fd/\(descriptor)", start, buffer.count)
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(max(0, count)), as: UTF8.self)
    }
  }
}

extension FileFailure: CustomStringConvertible {
  /// The path and the system's words, such as `/tmp/a: No space left on device`.
  public var description: String { "\(path): \(String(cString: strerror(code)))" }
}

extension LupineError {
  /// What the system had against a file: its path, the error number and a kind; `nil` where no file was at fault.
  ///
  /// Errors of kind `fileFailed` have it, and those of kind `bodyFailed` whose body is a file.
  public var file: FileFailure? { underlying as? FileFailure ?? (underlying as? LupineError)?.file }

  /// Says what failed at a file, in the system's words.
  ///
  /// - Parameters:
  ///   - what: what could not be done, behind "The file /a", such as "cannot be opened".
  ///   - code: the system's error number.
  ///   - kind: `fileFailed`, or `bodyFailed` for a request's body.
  public static func file(
    _ what: String, _ path: String, code: Int32 = errno, as kind: Kind = .fileFailed
  ) -> LupineError {
    file(path, code: code, as: kind, message: "The file \(path) \(what): \(String(cString: strerror(code))).")
  }

  /// Says what failed at a file, in a sentence of its own.
  public static func file(
    _ path: String, code: Int32, as kind: Kind = .fileFailed, message: String
  ) -> LupineError {
    LupineError(kind, message, underlying: FileFailure(path: path, code: code))
  }
}
