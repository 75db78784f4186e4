public import HTTPTypes
public import LupineCore
import LupineSupport

/// Parses the lines of a response's heads and trailers, and rejects ambiguous ones (RFC 9112 sections 4 and 5).
///
/// It is for a transport whose library passes lines; `ResponseReader` reads whole responses. Servers often repeat a
/// head. Lines that equal those of the last head in the same place are only compared. A reader reads the responses to
/// one request at a time; `begin` prepares it for the next request.
public struct HeadReader {
  /// A complete head.
  public enum Head {
    /// An interim response (1xx); another head follows.
    case interim(HTTPResponse)
    /// The final response.
    case final(ReceivedHead)
  }

  private enum Part { case status, fields, trailers }

  /// The last status line; nil before the first one.
  public private(set) var statusLine: StatusLine?
  /// The trailers that have been read; nil without any.
  public private(set) var trailers: HTTPFields?
  private var limits: Limits
  private let cache: HeadCache
  private var mayBeMultiplexed: Bool
  private var tolerances: ToleranceRecord
  private var part = Part.status
  /// The number of fields of the current head.
  private var count = 0
  /// A copy of the head that the current one is compared with; another reader may change the cache's template.
  private var template = HeadTemplate()
  /// The lines of the current head that differ from the template.
  private var changes: [FieldChange] = []
  private var declared = DeclaredLength()
  /// Whether the current head has the connection option `close`.
  private var closes = false
  /// The number of bytes of the current head or of the trailers.
  private var size = 0
  private var interimCount = 0
  /// The head that the current lines are compared with; also kept for the next response.
  private var cached: CachedHead?
  /// Whether the current head is compared with `cached`; `matchedCount` is the number of equal bytes so far.
  private var isComparing = false
  private var matchedCount = 0

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - limits: the reader applies `responseFields`, `responseFieldCount`, `informationalResponses` and `trailers`.
  ///   - mayBeMultiplexed: whether a status line may have the version HTTP/2 or HTTP/3. Default: no.
  ///   - tolerances: the violations that the reader accepts in a response of HTTP/1. Default: none.
  public init(
    _ limits: Limits, _ cache: HeadCache, mayBeMultiplexed: Bool = false, tolerating tolerances: ResponseTolerances = []
  ) {
    self.limits = limits
    self.cache = cache
    self.mayBeMultiplexed = mayBeMultiplexed
    self.tolerances = ToleranceRecord(allowed: tolerances)
  }

  /// The tolerances that the heads and the trailers have needed so far.
  public var tolerated: ResponseTolerances { tolerances.used }

  /// Sets the limits for the following heads.
  public mutating func setLimits(_ limits: Limits) {
    self.limits = limits
    cached = nil
  }

  /// Prepares for the responses to another request.
  ///
  /// - Parameters:
  ///   - mayBeMultiplexed: whether a status line may have the version HTTP/2 or HTTP/3.
  ///   - tolerances: as for `init`.
  public mutating func begin(mayBeMultiplexed: Bool, tolerating tolerances: ResponseTolerances = []) {
    prepareForNextHead()
    self.tolerances = ToleranceRecord(allowed: tolerances)
    if mayBeMultiplexed != self.mayBeMultiplexed {
      self.mayBeMultiplexed = mayBeMultiplexed
      cached = nil
    }
    statusLine = nil
    interimCount = 0
  }

  /// Prepares for the head of another response to the same request, after a challenge that a library answers itself.
  public mutating func prepareForNextHead() {
    stopComparing()
    part = .status
    size = 0
    trailers = nil
  }

  /// Processes a line with its line end, and returns the head that it completes.
  ///
  /// After the final head, lines are trailers.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` or `limitExceeded`; the connection must be closed.
  public mutating func process(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
    if part == .status, matchedCount == 0 { isComparing = selectCachedHead() }
    guard isComparing, let cached else { return try parse(raw) }
    if cached.contains(raw, at: matchedCount) { return match(raw.count, of: cached) }
    try adoptMatchedLines(of: cached)
    return try parse(raw)
  }

  /// Compares a line with the cached head; true if they are equal and the line is neither the first nor the last one.
  ///
  /// Such a line needs no `process`.
  public mutating func matchesCachedHead(_ raw: UnsafeRawBufferPointer) -> Bool {
    guard matchedCount > 0, let cached, matchedCount + raw.count < cached.bytes.count,
      cached.contains(raw, at: matchedCount)
    else { return false }
    matchedCount += raw.count
    return true
  }

  /// Returns the cached head if the bytes begin with it, and its size; `nil` if they do not, or within a head.
  mutating func takeCachedHead(_ bytes: UnsafeRawBufferPointer) -> (head: ReceivedHead, size: Int)? {
    guard part == .status, matchedCount == 0, selectCachedHead(), let cached, cached.bytes.isPrefix(of: bytes) else {
      return nil
    }
    statusLine = cached.head.statusLine
    part = .trailers
    return (cached.head, cached.bytes.count)
  }

  /// Whether the next line is a status line.
  var expectsStatusLine: Bool { part == .status && matchedCount == 0 }

  /// Throws if the current head would exceed its limit with this many more bytes.
  func checkSize(with count: Int) throws(LupineError) {
    try Self.check((isComparing ? matchedCount : size) + count, against: limits.responseFields, .responseFields)
  }
}

/// The comparison with the cached head.
extension HeadReader {
  /// Selects the cached head that the next head is compared with; false if there is none.
  ///
  /// A cached head that the current limits do not allow is not used.
  private mutating func selectCachedHead() -> Bool {
    if cached !== cache.head { cached = usable(cache.head) }
    return cached != nil
  }

  private func usable(_ cached: CachedHead?) -> CachedHead? {
    guard let cached, mayBeMultiplexed || !cached.head.statusLine.isMultiplexed,
      cached.bytes.count <= limits.responseFields, cached.fields.count <= maximumFieldCount
    else { return nil }
    return cached
  }

  /// Counts the bytes of an equal line, and returns the cached head after its last line.
  private mutating func match(_ count: Int, of cached: CachedHead) -> Head? {
    if matchedCount == 0 { statusLine = cached.head.statusLine }
    matchedCount += count
    guard matchedCount == cached.bytes.count else { return nil }
    stopComparing()
    part = .trailers
    return .final(cached.head)
  }

  /// Uses the cached results of the lines that were equal, because a later line of the current head differs.
  private mutating func adoptMatchedLines(of cached: CachedHead) throws(LupineError) {
    let end = matchedCount
    stopComparing()
    guard end > 0 else { return }
    beginFields()
    size = end
    for line in cached.fields(before: end) {
      if !template.has(line, at: count) { changes.append(FieldChange(index: count, line: line)) }
      try record(line)
    }
  }

  private mutating func stopComparing() {
    isComparing = false
    matchedCount = 0
  }
}

/// The parsing of lines.
extension HeadReader {
  private mutating func parse(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
    try countBytes(of: raw)
    let line = try withoutLineEnd(raw)
    switch part {
    case .status: try parseStatusLine(line)
    case .fields where line.isEmpty: return try completeHead()
    case .fields: try appendField(line)
    case .trailers where line.isEmpty: break
    case .trailers: try appendTrailer(line)
    }
    return nil
  }

  private mutating func withoutLineEnd(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> UnsafeRawBufferPointer {
    if raw.count >= 2, raw[raw.count - 1] == 0x0A, raw[raw.count - 2] == 0x0D {
      return UnsafeRawBufferPointer(rebasing: raw[..<(raw.count - 2)])
    }
    guard raw.last == 0x0A else { throw MalformedResponse.bareLineFeed.error }
    try accept(.bareLineFeed)
    return UnsafeRawBufferPointer(rebasing: raw.dropLast())
  }

  private mutating func accept(_ violation: MalformedResponse) throws(LupineError) {
    guard isTolerant else { throw violation.error }
    try tolerances.accept(violation)
  }

  /// Whether the tolerances apply to the current line; never to a field of HTTP/2.
  private var isTolerant: Bool { part == .status || statusLine?.isMultiplexed == false }

  private mutating func parseStatusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    let status = try cache.statusLine(line)
    guard mayBeMultiplexed || !status.isMultiplexed else { throw MalformedResponse.version.error }
    statusLine = status
    beginFields()
  }

  private mutating func beginFields() {
    part = .fields
    count = 0
    template = cache.template
    changes.removeAll(keepingCapacity: true)
    changes.reserveCapacity(8)
    declared = DeclaredLength(tolerating: isTolerant ? tolerances.allowed : [])
    closes = false
  }

  private mutating func completeHead() throws(LupineError) -> Head? {
    guard let statusLine else { throw MalformedResponse.statusLine.error }
    try declared.check(statusLine.version)
    tolerances.add(declared.tolerances)
    size = 0
    var response = statusLine.head
    response.headerFields = template.fields(count: count, changes)
    guard statusLine.code < 200 else {
      part = .trailers
      let head = ReceivedHead(statusLine, response, declared, closes: closes || tolerated.endsConnection)
      // Another reader of the cache may be strict.
      if tolerated.isEmpty { cache.record(head, count: count, &template, changes) }
      return .final(head)
    }
    guard statusLine.code != 101 else { throw MalformedResponse.switchingProtocols.error }
    part = .status
    interimCount += 1
    try Self.check(interimCount, against: limits.informationalResponses, .informationalResponses)
    return .interim(response)
  }

  private mutating func appendField(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    if line[0].isBlank { throw MalformedResponse.folded.error }
    if let known = template.line(line, at: count) { return try record(known) }
    guard let field = try readField(line) else { throw MalformedResponse.fieldName.error }
    changes.append(FieldChange(index: count, line: field))
    try record(field)
  }

  /// Reads a field line; `nil` if it has no colon.
  private mutating func readField(_ line: UnsafeRawBufferPointer) throws(LupineError) -> FieldLine? {
    let field = try cache.field(
      line, takesControlBytes: isTolerant && tolerances.allowed.contains(.controlBytesInValues))
    if field?.hadControlBytes == true { try accept(.controlByte) }
    return field
  }

  private mutating func record(_ line: FieldLine) throws(LupineError) {
    if line.isFraming { try declared.record(line.field) }
    if line.closes { closes = true }
    count += 1
    try Self.check(count, against: maximumFieldCount, .responseFieldCount)
  }

  private mutating func appendTrailer(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    if line[0].isBlank { throw MalformedResponse.folded.error }
    guard let field = try readField(line) else {
      let isStatusLine = line.starts(with: "HTTP/".utf8)
      throw isStatusLine ? MalformedResponse.secondHead.error : MalformedResponse.fieldName.error
    }
    var all = trailers.take() ?? HTTPFields()
    all.append(field.field)
    trailers = all
    try Self.check(all.count, against: maximumFieldCount, .responseFieldCount)
  }

  private var maximumFieldCount: Int { min(limits.responseFieldCount, 65_000) }

  private mutating func countBytes(of raw: UnsafeRawBufferPointer) throws(LupineError) {
    size += raw.count
    if part == .trailers {
      try Self.check(size, against: limits.trailers, .trailers)
    } else {
      try Self.check(size, against: limits.responseFields, .responseFields)
    }
  }

  private static func check(_ count: Int, against limit: Int, _ name: Limits.Name) throws(LupineError) {
    guard count > limit else { return }
    throw LupineError(
      .limitExceeded(name), "The response exceeds \(limit), the limit \(name.rawValue); its connection is closed.")
  }
}
