import Glibc

extension UnsafeRawBufferPointer {
  /// Writes all of the bytes to a descriptor, in as many calls as that takes.
  ///
  /// - Parameter offset: where in the file; `nil` means where the descriptor stands.
  /// - Returns: the number of the error that ended it; `nil` where all were written.
  public func write(to descriptor: Int32, at offset: Int64? = nil) -> Int32? {
    write { rest, done in
      guard let offset else { return Glibc.write(descriptor, rest.baseAddress, rest.count) }
      return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
    }
  }

  /// - Parameter call: the system's call, given the bytes that are left and the number of those that are done.
  func write(_ call: (_ rest: UnsafeRawBufferPointer, _ done: Int) -> Int) -> Int32? {
    var done = 0
    while done < count {
      let written = call(UnsafeRawBufferPointer(rebasing: self[done...]), done)
      if written > 0 {
        done += written
      } else if written == 0 {
        // Nothing was taken, and nothing said why.
        return EIO
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
