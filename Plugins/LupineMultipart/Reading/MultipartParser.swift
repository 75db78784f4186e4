public import HTTPTypes
public import LupineCore
import LupineSupport

/// Reads a multipart of any type piece by piece: bytes in, events out (RFC 2046 section 5.1.1).
///
/// It keeps nothing of a part's content, whatever the size of the pieces it is fed, and looks at each byte a bounded
/// number of times. Lines end in CRLF. A line that only begins like a delimiter belongs to the content.
public struct MultipartParser: Sendable {
  /// What the parser found.
  public enum Event: Sendable, Hashable {
    /// A part begins, with these fields.
    case partBegan(HTTPFields)
    /// The next bytes of the part's content; they share the storage of what was fed.
    case content(ArraySlice<UInt8>)
    /// The part is complete.
    case partEnded
    /// The multipart is complete; what follows it is passed over.
    case ended
  }

  private enum State {
    /// Before the first delimiter, or in a part's content.
    case scanning
    /// Behind a delimiter: dashes, blanks or the end of the line.
    case afterDelimiter
    case fields
    case ended
  }

  private enum Following { case part, nothing }

  /// The bytes that have been looked at, each time anew.
  private(set) var steps = 0
  let limits: MultipartLimits
  private let search: DelimiterSearch
  private var state = State.scanning
  /// How much of the delimiter the last bytes are.
  ///
  /// The bytes before a multipart count as its first line break.
  private var matched = 2
  /// How many of those are no content: they were never there, or end the part's fields.
  private var unheld = 2
  /// What came after a delimiter, until it is known to be one.
  private var tail: [UInt8] = []
  private var fields: PartFieldsParser
  private var partCount = 0
  private var contentCount: Int64 = 0
  private var preambleCount = 0
  private var isInPart = false
  private var hasToldEnd = false

  /// More blanks than this behind a delimiter are nothing that anybody sends.
  private static let tailLimit = 1_024

  /// Prepares to read a multipart.
  ///
  /// - Parameters:
  ///   - boundary: what the content type names. Not held to RFC 2046's alphabet, which servers do not always keep.
  ///   - limits: the most that is accepted.
  /// - Throws: `LupineError` of kind `serializationFailed` where it is empty, longer than 200 bytes or has a control byte.
  public init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(LupineError) {
    guard (1...200).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw LupineError(
        .serializationFailed, "\"\(boundary.escapingControls(limit: 200))\" cannot be the boundary of a multipart.")
    }
    self.limits = limits
    search = DelimiterSearch(boundary: boundary)
    fields = PartFieldsParser(limits: limits)
  }

  /// Takes bytes from the front of the chunk up to the next event; `nil` when more bytes are needed.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` or `limitExceeded`, which names the part. Nothing more can be
  ///   read then.
  public mutating func next(in chunk: inout ArraySlice<UInt8>) throws(LupineError) -> Event? {
    while true {
      switch state {
      case .ended:
        if !hasToldEnd {
          hasToldEnd = true
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

  /// Hears that no more bytes come.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` where the multipart is not complete.
  public mutating func finish() throws(LupineError) {
    if case .ended = state { return }
    throw malformed(partCount == 0 ? "ends before its first part" : "ends in the midst of part \(partCount)")
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

  /// Goes on with a delimiter of which the last bytes may have been the beginning.
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

  /// Gives back as content what only began like a delimiter.
  private mutating func release() throws(LupineError) -> Event? {
    let content = search.delimiter[unheld..<max(matched, unheld)] + tail
    steps += content.count
    tail = []
    matched = 0
    unheld = 0
    state = .scanning
    return try emit(content)
  }

  private mutating func emit(_ content: ArraySlice<UInt8>) throws(LupineError) -> Event? {
    if content.isEmpty { return nil }
    unheld = 0
    guard isInPart else {
      preambleCount += content.count
      try check(preambleCount <= limits.preambleBytes, "preambleBytes")
      return nil
    }
    contentCount += Int64(content.count)
    try check(contentCount <= limits.partBytes ?? .max, "partBytes")
    return .content(content)
  }

  /// Tells the end of the multipart, the end of a part, and a line that is content from each other.
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
      guard tail.count < Self.tailLimit else { throw malformed("has a delimiter with too many blanks behind it") }
      tail.append(byte)
      chunk.removeFirst()
      return nil
    default:
      return try release()
    }
  }

  private mutating func endPart(_ next: Following) throws(LupineError) -> Event? {
    tail = []
    matched = 0
    unheld = 0
    let hadPart = isInPart
    isInPart = false
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
    do throws(PartFieldsParser.Refusal) {
      guard let found = try fields.read(&chunk) else { return nil }
      state = .scanning
      isInPart = true
      contentCount = 0
      matched = 2
      unheld = 2
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
