import Glibc

/// Finds the delimiter of a multipart's parts, with the line break before it.
struct DelimiterSearch: Sendable {
  /// CR, LF, two dashes, and the boundary.
  ///
  /// It contains no other CR, so a search never goes back.
  let delimiter: [UInt8]

  init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

  /// Returns the first delimiter, or a prefix of one at the end of the bytes: its position, and the number of bytes
  /// matched.
  func first(in bytes: UnsafeRawBufferPointer) -> (position: Int, matched: Int)? {
    guard let start = bytes.baseAddress else { return nil }
    var position = 0
    while position < bytes.count, let found = memchr(start + position, 0x0D, bytes.count - position) {
      position = start.distance(to: UnsafeRawPointer(found))
      let room = min(delimiter.count, bytes.count - position)
      var matched = 1
      while matched < room, bytes[position + matched] == delimiter[matched] { matched += 1 }
      if matched == room { return (position, matched) }
      position += matched
    }
    return nil
  }
}
