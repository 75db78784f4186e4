extension RequestBody {
  /// Returns the body from an offset on, for a server that has the bytes before it.
  ///
  /// Bytes and files are read from the offset. Any other body that can be sent again (`isReplayable`) is opened from
  /// its beginning each time, and the bytes before the offset are read and dropped, not on the transport's thread. A
  /// one-shot body cannot be read from an offset other than 0.
  ///
  /// A file is opened when the request is sent; an offset past its end is an error then. If the length of the body is
  /// not known, an offset past its end is an error when the body is read.
  ///
  /// - Parameter offset: the number of bytes to leave out. The length of the body is its greatest value, and leaves
  ///   an empty body.
  /// - Throws: `LupineError` of kind `bodyFailed` if the offset is negative or greater than `length`, or if the body is
  ///   not replayable.
  public func suffix(from offset: Int64) throws(LupineError) -> RequestBody {
    guard offset >= 0, offset <= length ?? .max else { throw Self.hasNothing(from: offset, length: length) }
    guard offset > 0 else { return self }
    let left = length.map { $0 - offset }
    switch source {
    case .bytes(let data): return .bytes(data.dropFirst(Int(offset)))
    case .file(let path, let start):
      let (place, isTooLarge) = start.addingReportingOverflow(offset)
      guard !isTooLarge else { throw Self.hasNothing(from: offset, length: length) }
      return .file(path, offset: place, length: left)
    case .none, .stream, .sequence: break
    }
    guard isReplayable else {
      throw LupineError(
        .bodyFailed,
        "The request's body can be read only once, so it cannot be read from offset \(offset); use a body "
          + "that can be sent again, such as a file.")
    }
    return RequestBody(length: left, through: [self]) { (onReady) throws(LupineError) in
      try SuffixReader(self, from: offset, onReady: onReady)
    }
  }

  static func hasNothing(from offset: Int64, length: Int64?) -> LupineError {
    let size = length.map { "has \($0) bytes" } ?? "is shorter"
    return LupineError(.bodyFailed, "The request's body was to be read from offset \(offset), but it \(size).")
  }
}
