#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension UnsafeMutableRawBufferPointer {
  /// Fills the buffer from a position in a file, with as many calls as needed.
  ///
  /// - Returns: the number of bytes read up to the file's end, and the error number; `nil` without an error.
  public func fill(from descriptor: Int32, at offset: Int64) -> (count: Int, error: Int32?) {
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

extension UnsafeRawBufferPointer {
  /// Returns the position of the first byte with this value, from a position on; `nil` if there is none.
  public func position(of byte: UInt8, from start: Int) -> Int? {
    guard let first = baseAddress, start < count,
      let found = memchr(first + start, Int32(byte), count - start)
    else { return nil }
    return first.distance(to: UnsafeRawPointer(found))
  }
}
