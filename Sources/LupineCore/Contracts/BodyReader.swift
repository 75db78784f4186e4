/// A body on its way out, read by a transport at its own pace.
///
/// One reader serves one sending of a body, from one place at a time. It never blocks for longer than a read from a
/// local file takes: where no bytes are at hand it says `pending`, and calls what it was made with once there are.
public protocol BodyReader: AnyObject, Sendable {
  /// Bytes in all, where that is known before the first read; a reader never yields more or fewer without an error.
  var length: Int64? { get }

  /// Fills the front of the buffer.
  ///
  /// - Throws: what reading the source threw; the transport then ends the exchange with the body unfinished.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead

  /// Hears that the rest is not wanted; releases what it holds. May come from any thread.
  func cancel()
}

/// What a read brought.
public enum BodyRead: Sendable, Hashable {
  /// So many bytes at the buffer's front; at least one.
  case bytes(Int)
  /// None yet; the reader will call back.
  case pending
  /// The body is complete.
  case end
}
