public import LupineFoundation
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

/// Owns a descriptor of a regular file that is open for reading.
public struct OpenFile: ~Copyable, Sendable {
  /// The number of bytes that `data(count:)` reads at least, behind the size that the system states.
  private static let smallestPiece: Int64 = 64 << 10

  private let path: String
  private let descriptor: Int32
  private let kind: LupineError.Kind

  /// Opens a file.
  ///
  /// - Parameter kind: the kind of the errors. Default: `bodyFailed`.
  /// - Throws: `LupineError` of that kind if the path contains a NUL byte or the file cannot be opened.
  public init(reading path: String, orFailAs kind: LupineError.Kind = .bodyFailed) throws(LupineError) {
    self.path = path
    self.kind = kind
    // The system would read the path up to its NUL and open another file.
    let isPath = !path.utf8.contains(0)
    // Without O_NONBLOCK the opening of a named pipe would wait for a writer; `size()` refuses the pipe.
    descriptor = isPath ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
    guard isPath else {
      throw LupineError.file(
        path, code: EINVAL, as: kind, message: "The path \(path.debugDescription) has a NUL byte, so it names no file.")
    }
    guard descriptor >= 0 else { throw LupineError.file("cannot be opened", path, code: errno, as: kind) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the file's size in bytes.
  ///
  /// - Throws: `LupineError` of the given kind if the file is a folder or not a regular file.
  public func size() throws(LupineError) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw LupineError.file("cannot be examined", path, code: errno, as: kind)
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw LupineError.file(path, code: EISDIR, as: kind, message: "\(path) is a folder, not a file.")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let advice = kind == .bodyFailed ? "; send it as a stream" : ""
      throw LupineError.file(path, code: EINVAL, as: kind, message: "\(path) is not a regular file\(advice).")
    }
    return Int64(status.st_size)
  }

  /// Reads at a position; returns 0 at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(LupineError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
      if count >= 0 { return count }
      if errno != EINTR { throw LupineError.file("cannot be read", path, code: errno, as: kind) }
    }
  }

  /// Returns the first bytes of the file; fewer if the file is shorter.
  ///
  /// - Throws: `LupineError` of the given kind if the file cannot be read.
  public func data(count: Int64) throws(LupineError) -> Data {
    let size = try size()
    var data = Data()
    // A file of the kernel, such as one below /proc, has content although its size is 0.
    while data.count < count {
      let position = Int64(data.count)
      var piece = Data(count: Int(clamping: min(count - position, max(size - position, Self.smallestPiece))))
      let (found, error) = piece.withUnsafeMutableBytes { $0.fill(from: descriptor, at: position) }
      if let error { throw LupineError.file("cannot be read", path, code: error, as: kind) }
      let isAtEnd = found < piece.count
      if isAtEnd { piece = piece.prefix(found) }
      if data.isEmpty { data = piece } else { data += piece }
      if isAtEnd { break }
    }
    return data
  }
}

extension URL {
  /// Returns the path of the local file that the URL refers to.
  ///
  /// - Throws: `LupineError` of the given kind if the URL has another scheme or the host name of another machine (RFC
  ///   8089).
  public func localPath(orFailAs kind: LupineError.Kind) throws(LupineError) -> String {
    let url = absoluteURL
    let host = url.host(percentEncoded: false) ?? ""
    guard url.isFileURL, host.isEmpty || host.lowercased() == "localhost" else {
      let name = url.scheme.map { "has the scheme \"\($0)\"" } ?? "has no scheme"
      let reason = url.isFileURL ? "names a file on the machine \"\(host)\"" : name
      throw LupineError(
        kind,
        "The URL must name a file of this machine, but it \(reason); use a path, or a URL of the scheme "
          + "\"file\".")
    }
    return url.path
  }
}
