import Glibc

extension UnsafeMutableRawBufferPointer {
  /// Fills the buffer from a position of a file, in as many calls as that takes.
  ///
  /// - Returns: how many bytes there were up to the file's end, and the number of the error that ended it; `nil` where none
  ///   did.
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
