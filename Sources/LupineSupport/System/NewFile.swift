#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns a newly created file with permissions for its owner only, open for writing.
public struct NewFile: ~Copyable, Sendable {
  /// Why a call for the file failed.
  public struct Failure: Error, CustomStringConvertible {
    /// The operating system's code.
    public let code: Int32

    /// Creates a failure with the operating system's code.
    public init(code: Int32) { self.code = code }

    /// The operating system's text for the code.
    public var description: String { String(cString: strerror(code)) }
  }

  /// The descriptor, which is closed with this value.
  public let descriptor: Int32
  private let path: String

  /// Creates the file; fails if the path exists already, also as a symbolic link.
  public init(_ path: String) throws(Failure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(code: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Waits until the content is on disk.
  public func synchronize() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
  }

  /// Moves the file to another path on the same volume, and replaces an existing file atomically.
  public func move(to destination: String) throws(Failure) {
    guard rename(path, destination) == 0 else { throw Failure(code: errno) }
  }

  /// Removes the file from its folder.
  public func remove() { unlink(path) }
}
