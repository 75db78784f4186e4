/// A request body that a transport reads at its own pace.
///
/// One reader serves one sending of a body. Its calls do not overlap, and each may be on another thread. A call never
/// waits, neither for a disk nor for code of the program: if no bytes are available, `read(into:)` returns `pending`,
/// and the reader later calls the closure that it was made with. A reader that needs a blocking call makes it with
/// `BlockingWork`.
public protocol BodyReader: AnyObject, Sendable {
  /// The length of the body in bytes; `nil` if it is not known before the first read.
  ///
  /// A reader that yields more or fewer bytes throws an error.
  var length: Int64? { get }

  /// Fills the front of the buffer.
  ///
  /// - Throws: the error of the source. The transport then ends the exchange without the rest of the body.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead

  /// Releases what the reader holds; the transport reads no more.
  ///
  /// It may be called from any thread.
  func cancel()
}

/// The result of a read.
public enum BodyRead: Sendable, Hashable {
  /// The number of bytes at the front of the buffer; at least one.
  case bytes(Int)
  /// No bytes yet; the reader calls back when there are some.
  case pending
  /// The body is complete.
  case end
}

extension BodyReader {
  /// Fills the front of an array.
  public func read(into buffer: inout [UInt8]) throws(LupineError) -> BodyRead {
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<BodyRead, LupineError> in
      do throws(LupineError) { return .success(try read(into: bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
