public import FoundationEssentials

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
  private let path: String
  private let descriptor: Int32
  private let kind: LupineError.Kind

  /// - Parameter kind: the kind of the errors. Default: `bodyFailed`.
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

  /// The file's size in bytes.
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
  public func data(count: Int64) throws(LupineError) -> Data {
    var data = Data(count: Int(count))
    let (found, error) = data.withUnsafeMutableBytes { $0.fill(from: descriptor, at: 0) }
    if let error { throw LupineError.file("cannot be read", path, code: error, as: kind) }
    return found == data.count ? data : data.prefix(found)
  }
}

extension URL {
  /// Returns the path of the local file that the URL refers to.
  ///
  /// - Throws: `LupineError` of the given kind if the URL has another scheme or the host name of another machine (RFC
  ///   8089).
  package func localPath(orFailAs kind: LupineError.Kind) throws(LupineError) -> String {
    let url = absoluteURL
    let host = url.host(percentEncoded: false) ?? ""
    guard url.isFileURL, host.isEmpty || host.lowercased() == "localhost" else {
      let name = url.scheme.map { "has the scheme \"\($0)\"" } ?? "has no scheme"
      let reason = url.isFileURL ? "names a file on the machine \"\(host)\"" : name
      throw LupineError(
        kind,
        "A file of this machine was to be named by a URL that \(reason); give it a path, or a URL of the scheme "
          + "\"file\".")
    }
    return url.path
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Fills the buffer from a position in a file, with as many calls as needed.
  ///
  /// - Returns: the number of bytes read up to the file's end, and the error number; `nil` without an error.
  package func fill(from descriptor: Int32, at offset: Int64) -> (count: Int, error: Int32?) {
    var done = 0
    while done < count {
      let read = pread(descriptor, baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
      if read > 0 {
        done += read
      } else if read == 0 {
        break
      } else if errno != EINTR {
        return (done, errno)
      }
    }
    return (done, nil)
  }
}

/// Calls the system's `write`, which a method of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

extension UnsafeRawBufferPointer {
  /// Writes all bytes to a descriptor, with as many calls as needed.
  ///
  /// - Parameter offset: the position in the file; `nil` means the descriptor's current position.
  /// - Returns: the error number; `nil` if all bytes were written.
  public func write(to descriptor: Int32, at offset: Int64? = nil) -> Int32? {
    write { rest, done in
      guard let offset else { return systemWrite(descriptor, rest) }
      return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
    }
  }

  /// - Parameter call: the system call; receives the remaining bytes and the number of written bytes.
  func write(_ call: (_ rest: UnsafeRawBufferPointer, _ done: Int) -> Int) -> Int32? {
    var done = 0
    while done < count {
      let written = call(UnsafeRawBufferPointer(rebasing: self[done...]), done)
      if written > 0 {
        done += written
      } else if written == 0 {
        // No bytes were written, and there is no error number.
        return EIO
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
