import LupineCore

/// The content of an exchange's request while it is sent.
struct Outgoing {
  /// The reader of the rest of the request's body; `nil` if there is none.
  var reader: (any BodyReader)?
  /// The number of bytes that the body still has; `nil` if the length is not known.
  private(set) var remaining: Int64?
  /// Whether the request has content; its reader then emits the event `sent`.
  private(set) var hasContent = false
  /// Whether the content waits for a 100 response (RFC 9110 section 10.1.1).
  var waitsForContinue = false
  /// Whether everything has been read, although some of it may not have been sent.
  private(set) var isRead = false
  /// Whether the whole request has been sent.
  private(set) var isComplete = false
  /// Whether the rest of the request is not sent.
  private(set) var isAbandoned = false
  /// Whether the system has taken any byte of the request.
  private(set) var hasBegun = false
  /// The number of bytes of content that have been sent.
  private(set) var byteCount: Int64 = 0

  init(reader: (any BodyReader)?) { self.reader = reader }

  /// Prepares to send a request.
  ///
  /// - Parameter length: the number of bytes of the body; `nil` if it is not known.
  mutating func begin(length: Int64?) {
    remaining = length
    hasContent = reader != nil && remaining != 0
    guard !hasContent else { return }
    reader = nil
    isRead = true
  }

  /// Records that bytes have been sent, `content` of which belong to the body.
  mutating func recordSent(content: Int = 0) {
    hasBegun = true
    byteCount += Int64(content)
  }

  /// Records that everything has been sent.
  mutating func complete() { isComplete = true }

  /// Leaves the rest of the request unsent.
  mutating func abandon() {
    guard !isComplete else { return }
    isAbandoned = true
    reader?.cancel()
    reader = nil
  }

  /// Reads the next piece of the body; `isRead` is true after the last one.
  ///
  /// - Throws: the error of the body, or kind `bodyFailed` if it does not have its stated length.
  mutating func read(into space: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    guard let reader else { return .pending }
    guard let remaining else {
      let next = try reader.read(into: space)
      if case .end = next { finishReading() }
      return next
    }
    let room = Int(min(remaining, Int64(space.count)))
    let next = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: space[..<room]))
    switch next {
    case .pending: break
    case .end: throw LupineError(.bodyFailed, "The request's body ended \(remaining) bytes before its stated length.")
    case .bytes(let count):
      self.remaining = remaining - Int64(count)
      if remaining == count { try checkEnd(of: reader) }
    }
    return next
  }

  /// Checks that the body ends at its stated length, before its last bytes are sent.
  private mutating func checkEnd(of reader: any BodyReader) throws(LupineError) {
    var byte: UInt8 = 0
    let next = try withUnsafeMutableBytes(of: &byte) { (space) throws(LupineError) in try reader.read(into: space) }
    if case .bytes = next { throw LupineError(.bodyFailed, "The request's body exceeds its stated length.") }
    finishReading()
  }

  private mutating func finishReading() {
    reader = nil
    isRead = true
  }
}
