import HTTPTypes
import LupineCore
import LupineSupport

/// Parses libcurl's header lines into heads and trailers, and rejects ambiguous ones.
///
/// Servers often repeat a head. While the lines equal those of a known head, they are only compared. A reader reads the
/// responses to one request at a time; `begin` prepares it for the next request.
final class HeadReader {
  /// A complete head.
  enum Head {
    case informational(HTTPResponse)
    case final(ReceivedHead)
  }

  private enum Part { case status, fields, trailers }

  /// The last status line.
  private(set) var line: StatusLine?
  private(set) var trailers: HTTPFields?
  private var limits: Limits
  private let lines: KnownLines
  private var mayBeMultiplexed: Bool
  private var part = Part.status
  /// The fields of the current head.
  private var fields: [FieldLine] = []
  private var framing = Framing()
  private var size = 0
  private var informationalCount = 0
  /// The head that the current lines are compared with; kept from one response to the next.
  private var known: KnownHead?
  /// Whether the current head is compared with `known`; `matched` is the number of equal bytes so far.
  private var isKnown = false
  private var matched = 0

  /// - Parameter mayBeMultiplexed: whether the connection may use HTTP/2.
  init(_ limits: Limits, _ lines: KnownLines, mayBeMultiplexed: Bool) {
    self.limits = limits
    self.lines = lines
    self.mayBeMultiplexed = mayBeMultiplexed
  }

  /// Sets the limits for the following heads.
  func keep(to limits: Limits) {
    self.limits = limits
    known = nil
  }

  /// Prepares for the responses to another request.
  func begin(mayBeMultiplexed: Bool) {
    beginAgain()
    if mayBeMultiplexed != self.mayBeMultiplexed {
      self.mayBeMultiplexed = mayBeMultiplexed
      known = nil
    }
    line = nil
    informationalCount = 0
  }

  /// Processes a line with its line end, and returns the head that it completes.
  func take(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
    if part == .status, matched == 0 { isKnown = expectsKnown() }
    guard isKnown, let known else { return try read(raw) }
    if known.has(raw, at: matched) { return match(raw.count, of: known) }
    try readMatched(known)
    return try read(raw)
  }

  /// Compares a line with the known head; true if they are equal and the line is neither the first nor the last one.
  func passes(_ raw: UnsafeRawBufferPointer) -> Bool {
    guard matched > 0, let known, matched + raw.count < known.size, known.has(raw, at: matched) else { return false }
    matched += raw.count
    return true
  }

  /// Whether the next head is compared with a known head.
  ///
  /// A known head that the current limits do not allow is not used.
  private func expectsKnown() -> Bool {
    if known !== lines.head { known = admissible(lines.head) }
    return known != nil
  }

  private func admissible(_ known: KnownHead?) -> KnownHead? {
    guard let known, mayBeMultiplexed || !known.head.line.isMultiplexed, known.size <= limits.responseFields,
      known.fieldCount <= mostFields
    else { return nil }
    return known
  }

  /// Counts the bytes of an equal line, and returns the known head after its last line.
  private func match(_ count: Int, of known: KnownHead) -> Head? {
    if matched == 0 { line = known.head.line }
    matched += count
    guard matched == known.size else { return nil }
    forget()
    part = .trailers
    return .final(known.head)
  }

  /// Parses the lines that were only compared, because the current head differs from the known one.
  private func readMatched(_ known: KnownHead) throws(LupineError) {
    let passed = known.lines(before: matched)
    forget()
    for line in passed {
      _ = try line.withUnsafeBufferPointer { (bytes) throws(LupineError) in try read(UnsafeRawBufferPointer(bytes)) }
    }
  }

  private func forget() {
    isKnown = false
    matched = 0
  }

  private func read(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
    try count(raw)
    guard raw.count >= 2, raw[raw.count - 1] == 0x0A, raw[raw.count - 2] == 0x0D else {
      throw MalformedResponse.bareLineFeed.error
    }
    let line = UnsafeRawBufferPointer(rebasing: raw[..<(raw.count - 2)])
    switch part {
    case .status: try begin(line)
    case .fields where line.isEmpty: return try complete()
    case .fields: try append(line)
    case .trailers where line.isEmpty: break
    case .trailers: try append(line)
    }
    return nil
  }

  /// Prepares for the head of another response to the same request, after a challenge that libcurl answers itself.
  func beginAgain() {
    forget()
    part = .status
    size = 0
    trailers = nil
  }

  private func begin(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    let status = try lines.statusLine(line)
    guard mayBeMultiplexed || !status.isMultiplexed else { throw MalformedResponse.version.error }
    self.line = status
    part = .fields
    framing = Framing()
    fields.reserveCapacity(8)
  }

  private func complete() throws(LupineError) -> Head? {
    guard let line else { throw MalformedResponse.statusLine.error }
    try framing.check(line.version)
    let head = lines.head(line, fields, framing)
    fields = []
    size = 0
    guard line.code < 200 else {
      part = .trailers
      return .final(head)
    }
    guard line.code != 101 else { throw MalformedResponse.switchingProtocols.error }
    part = .status
    informationalCount += 1
    try Self.keep(informationalCount, to: limits.informationalResponses, .informationalResponses)
    return .informational(head.response)
  }

  private func append(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    if line[0].isBlank { throw MalformedResponse.folded.error }
    guard let field = try lines.field(line) else {
      throw part == .trailers ? MalformedResponse.secondHead.error : MalformedResponse.fieldName.error
    }
    if part == .trailers {
      // Moved out to avoid exclusivity checks.
      var all = trailers.take() ?? HTTPFields()
      all.append(field.field)
      trailers = all
    } else {
      if field.isFraming { try framing.note(field.field.name, UnsafeRawBufferPointer(rebasing: line[field.value])) }
      fields.append(field)
    }
    try Self.keep(trailers?.count ?? fields.count, to: mostFields, .responseFieldCount)
  }

  private var mostFields: Int { min(limits.responseFieldCount, 65_000) }

  private func count(_ raw: UnsafeRawBufferPointer) throws(LupineError) {
    size += raw.count
    if part == .trailers {
      try Self.keep(size, to: limits.trailers, .trailers)
    } else {
      try Self.keep(size, to: limits.responseFields, .responseFields)
    }
  }

  private static func keep(_ count: Int, to limit: Int, _ name: Limits.Name) throws(LupineError) {
    guard count > limit else { return }
    throw LupineError(
      .limitExceeded(name), "The response exceeds \(limit), the limit \(name.rawValue); its connection is closed.")
  }
}
