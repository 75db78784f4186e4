public import HTTPTypes
public import LupineCore
import LupineSession
import LupineSupport

/// The limits of a multipart that is read.
///
/// A multipart that exceeds a limit is an error of kind `limitExceeded(.multipart)` or `limitExceeded(.nesting)`, whose
/// message names the limit.
public struct MultipartLimits: Sendable, Hashable {
  /// The maximum number of parts.
  ///
  /// Default: 1,000.
  public var parts = 1_000
  /// The maximum number of bytes in one part's fields.
  ///
  /// Default: 16 KiB.
  public var fieldBytes = 16 << 10
  /// The maximum number of fields in one part.
  ///
  /// Default: 100.
  public var fields = 100
  /// The maximum number of bytes in one part's content.
  ///
  /// Default: `nil`, which means no limit, because parts are streamed.
  public var partBytes: Int64?
  /// The maximum number of bytes before the first part; they are ignored.
  ///
  /// Default: 64 KiB.
  public var preambleBytes = 64 << 10
  /// The maximum depth of nested multiparts, including the outermost.
  ///
  /// Default: 5.
  public var nesting = 5

  /// Creates the default limits.
  public init() {}
}

/// Parses a multipart of any type incrementally, from bytes to events (RFC 2046 section 5.1.1).
///
/// The parser stores no content of a part, whatever the size of the chunks, and inspects each byte a bounded number of
/// times. Lines end in CRLF. A line that only begins like a delimiter belongs to the content.
public struct MultipartParser: Sendable {
  /// One step of the multipart.
  public enum Event: Sendable, Hashable {
    /// The start of a part, with its fields.
    case partBegan(HTTPFields)
    /// The next bytes of the part's content; they share the storage of the chunk.
    case content(ArraySlice<UInt8>)
    /// The end of the part.
    case partEnded
    /// The end of the multipart; the bytes after it are ignored.
    case ended
  }

  private enum State {
    /// Before the first delimiter, or in a part's content.
    case scanning
    /// After a delimiter's boundary: dashes, blanks or the end of the line follow.
    case afterDelimiter
    case fields
    case ended
  }

  private enum NextItem { case part, nothing }

  /// The number of byte inspections, including repeated ones.
  private(set) var steps = 0
  let limits: MultipartLimits
  private let search: DelimiterSearch
  private var state = State.scanning
  /// The number of bytes of the delimiter that the last bytes match.
  ///
  /// The start of the multipart and the end of a part's fields count as the delimiter's CRLF.
  private var matched = 2
  /// The number of matched bytes that are not content, because they precede the multipart or end the part's fields.
  private var nonContentCount = 2
  /// The bytes after a possible delimiter, until the parser can decide whether it is one.
  private var tail: [UInt8] = []
  private var fields: PartFieldsParser
  private var partCount = 0
  private var contentCount: Int64 = 0
  /// The length of the part that its `Content-Range` states (RFC 9110 section 14.6); `nil` if it states none.
  private var statedCount: Int64?
  private var preambleCount = 0
  private var isInPart = false
  private var hasEmittedEnd = false

  /// The maximum number of blanks after a delimiter.
  private static let tailLimit = 1_024

  /// Creates a parser for one multipart.
  ///
  /// - Parameters:
  ///   - boundary: the boundary from the content type. It may contain characters outside RFC 2046's alphabet, because
  ///     some servers send them.
  ///   - limits: the limits of the multipart.
  /// - Throws: `LupineError` of kind `serializationFailed` if the boundary is empty, longer than 200 bytes or has a
  ///   control byte.
  public init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(LupineError) {
    guard (1...200).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw LupineError(
        .serializationFailed, "\"\(boundary.escapingControls(limit: 200))\" cannot be the boundary of a multipart.")
    }
    self.limits = limits
    search = DelimiterSearch(boundary: boundary)
    fields = PartFieldsParser(limits: limits)
  }

  /// Consumes bytes from the front of the chunk up to the next event; `nil` if the event needs more bytes.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` or `limitExceeded`, whose message names the part. A part
  ///   whose length differs from its `Content-Range` is malformed. After an error the parser must not be used.
  public mutating func next(in chunk: inout ArraySlice<UInt8>) throws(LupineError) -> Event? {
    while true {
      switch state {
      case .ended:
        if !hasEmittedEnd {
          hasEmittedEnd = true
          return .ended
        }
        steps += chunk.count
        chunk = []
        return nil
      case _ where chunk.isEmpty: return nil
      case .scanning: if let event = try scan(&chunk) { return event }
      case .afterDelimiter: if let event = try readTail(&chunk) { return event }
      case .fields: if let event = try readFields(&chunk) { return event }
      }
    }
  }

  /// Ends the input.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` if the multipart is not complete.
  public mutating func finish() throws(LupineError) {
    if case .ended = state { return }
    throw malformed(partCount == 0 ? "ends before its first part" : "ends within part \(partCount)")
  }
}

extension MultipartParser {
  private mutating func scan(_ chunk: inout ArraySlice<UInt8>) throws(LupineError) -> Event? {
    if matched > 0 { return try resume(&chunk) }
    let found = chunk.withUnsafeBytes { search.first(in: $0) }
    let end = chunk.startIndex + (found?.position ?? chunk.count)
    let content = chunk[..<end]
    matched = found?.matched ?? 0
    steps += content.count + matched
    chunk = chunk[(end + matched)...]
    if matched == search.delimiter.count { state = .afterDelimiter }
    return try emit(content)
  }

  /// Continues a delimiter that may have begun in the previous chunk.
  private mutating func resume(_ chunk: inout ArraySlice<UInt8>) throws(LupineError) -> Event? {
    let rest = search.delimiter[matched...]
    let equal = zip(rest, chunk).prefix { $0 == $1 }.count
    steps += equal + 1
    matched += equal
    chunk = chunk.dropFirst(equal)
    if matched == search.delimiter.count {
      state = .afterDelimiter
      return nil
    }
    return chunk.isEmpty ? nil : try release()
  }

  /// Emits as content the bytes that only began like a delimiter.
  private mutating func release() throws(LupineError) -> Event? {
    let content = search.delimiter[nonContentCount..<max(matched, nonContentCount)] + tail
    steps += content.count
    tail = []
    matched = 0
    nonContentCount = 0
    state = .scanning
    return try emit(content)
  }

  private mutating func emit(_ content: ArraySlice<UInt8>) throws(LupineError) -> Event? {
    if content.isEmpty { return nil }
    nonContentCount = 0
    guard isInPart else {
      preambleCount += content.count
      try check(preambleCount <= limits.preambleBytes, "preambleBytes")
      return nil
    }
    contentCount += Int64(content.count)
    try check(contentCount <= limits.partBytes ?? .max, "partBytes")
    return .content(content)
  }

  /// Distinguishes the end of the multipart, the end of a part, and content that looks like a delimiter.
  private mutating func readTail(_ chunk: inout ArraySlice<UInt8>) throws(LupineError) -> Event? {
    guard let byte = chunk.first else { return nil }
    steps += 1
    switch (tail.last, byte) {
    case (0x2D?, 0x2D):
      chunk.removeFirst()
      return try endPart(.nothing)
    case (0x0D?, 0x0A):
      chunk.removeFirst()
      return try endPart(.part)
    case (nil, 0x2D), (nil, 0x20), (nil, 0x09), (nil, 0x0D), (0x20?, 0x20), (0x20?, 0x09), (0x20?, 0x0D), (0x09?, 0x20),
      (0x09?, 0x09), (0x09?, 0x0D):
      guard tail.count < Self.tailLimit else { throw malformed("has a delimiter with too many blanks after it") }
      tail.append(byte)
      chunk.removeFirst()
      return nil
    default:
      return try release()
    }
  }

  private mutating func endPart(_ next: NextItem) throws(LupineError) -> Event? {
    tail = []
    matched = 0
    nonContentCount = 0
    let hadPart = isInPart
    isInPart = false
    if hadPart, let statedCount, statedCount != contentCount {
      throw malformed("has a part \(partCount) of \(contentCount) bytes, whose Content-Range states \(statedCount)")
    }
    if next == .part {
      partCount += 1
      try check(partCount <= limits.parts, "parts")
      fields = PartFieldsParser(limits: limits)
    }
    state = next == .part ? .fields : .ended
    return hadPart ? .partEnded : nil
  }

  private mutating func readFields(_ chunk: inout ArraySlice<UInt8>) throws(LupineError) -> Event? {
    let before = chunk.count
    defer { steps += before - chunk.count }
    do throws(PartFieldsParser.Rejection) {
      guard let found = try fields.read(&chunk) else { return nil }
      state = .scanning
      isInPart = true
      contentCount = 0
      statedCount = found.singleton(.contentRange).flatMap { ContentRange($0) }.map { Int64($0.range.count) }
      matched = 2
      nonContentCount = 2
      return .partBegan(found)
    } catch {
      switch error {
      case .malformed(let what): throw malformed("has a part \(partCount) \(what)")
      case .limit(let name):
        try check(false, name)
        return nil
      }
    }
  }

  private func check(_ isWithin: Bool, _ name: String) throws(LupineError) {
    if isWithin { return }
    let place = partCount == 0 ? "before its first part" : "in part \(partCount)"
    throw LupineError(
      .limitExceeded(.multipart),
      "The multipart exceeds MultipartLimits.\(name) \(place); raise the limit if such multiparts are expected.")
  }

  private func malformed(_ what: String) -> LupineError {
    LupineError(.serializationFailed, "The multipart \(what).")
  }
}
