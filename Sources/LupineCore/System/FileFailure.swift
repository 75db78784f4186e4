#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's error for a file.
///
/// `LupineError.file` returns it.
public struct FileFailure: Error, Sendable, Hashable {
  /// The path of the file, or of the folder if the folder is missing or cannot be created.
  public let path: String
  /// The system's error number, such as `ENOSPC`.
  public let code: Int32

  /// Describes a failure.
  ///
  /// - Parameter code: the value of `errno`.
  public init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  /// The category of the error.
  ///
  /// More cases may be added; a `switch` over it needs a `default`.
  public enum Kind: Sendable, Hashable {
    /// The disk is full, or the user's quota is exhausted.
    case noSpace
    /// The process has no permission for this operation on the file or its folder.
    case permissionDenied
    /// The file system is read-only.
    case readOnly
    /// The file already exists and must not be replaced.
    case exists
    /// The file or a folder in its path does not exist.
    case notFound
    /// The path is a folder, not a file.
    case isFolder
    /// The process or the system has reached its limit of open files.
    case tooManyOpenFiles
    /// The file would exceed the limit of the file system or the process.
    case tooLarge
    /// The path, or one of its parts, is too long, empty, or contains a zero byte.
    case badPath
    /// Any other error; see `code`.
    case other
  }

  /// The category of the error.
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
  /// The path of an open file as the system reports it; empty if it reports none.
  static func path(of descriptor: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = readlink("/proc/self/fd/\(descriptor)", start, buffer.count)
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(max(0, count)), as: UTF8.self)
    }
  }
}

extension FileFailure: CustomStringConvertible {
  /// The path and the system's message, such as `/tmp/a: No space left on device`.
  public var description: String { "\(path): \(String(cString: strerror(code)))" }
}

extension LupineError {
  /// The file error with path, error number and kind; `nil` if no file caused the error.
  ///
  /// Errors of kind `fileFailed` have it, and errors of kind `bodyFailed` whose body is a file.
  public var file: FileFailure? { underlying as? FileFailure ?? (underlying as? LupineError)?.file }

  /// Creates an error for a file with the system's message.
  ///
  /// - Parameters:
  ///   - what: the failed operation, after "The file /a", such as "cannot be opened".
  ///   - code: the system's error number.
  ///   - kind: `fileFailed`, or `bodyFailed` for a request's body.
  public static func file(
    _ what: String, _ path: String, code: Int32, as kind: Kind = .fileFailed
  ) -> LupineError {
    file(path, code: code, as: kind, message: "The file \(path) \(what): \(String(cString: strerror(code))).")
  }

  /// Creates an error for a file with its own message.
  public static func file(
    _ path: String, code: Int32, as kind: Kind = .fileFailed, message: String
  ) -> LupineError {
    LupineError(kind, message, underlying: FileFailure(path: path, code: code))
  }
}
