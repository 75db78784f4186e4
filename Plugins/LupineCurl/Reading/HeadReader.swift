import HTTPTypes
import LupineCore
import LupineSupport

/// Parses libcurl's header lines into heads and trailers, and rejects ambiguous ones.
///
/// Servers often repeat a head. While the lines equal those of the cached head, they are only compared. A reader reads
/// the responses to one request at a time; `begin` prepares it for the next request.
final class HeadReader {
  /// A complete head.
  enum Head {
    case informational(HTTPResponse)
    case final(ReceivedHead)
  }

  private enum Part { case status, fields, trailers }

  /// The last status line.
  private(set) var statusLine: StatusLine?
  private(set) var trailers: HTTPFields?
  private var limits: Limits
  private let cache: HeadCache
  private var mayBeMultiplexed: Bool
  private var part = Part.status
  /// The fields of the current head.
  private var fields: [FieldLine] = []
  private var framing = Framing()
  private var size = 0
  private var informationalCount = 0
  /// The head that the current lines are compared with; it outlives a response.
  private var cached: CachedHead?
  /// Whether the current head is compared with `cached`; `matchedCount` is the number of equal bytes so far.
  private var isComparing = false
  private var matchedCount = 0

  /// - Parameter mayBeMultiplexed: whether the connection may use HTTP/2.
  init(_ limits: Limits, _ cache: HeadCache, mayBeMultiplexed: Bool) {
    self.limits = limits
    self.cache = cache
    self.mayBeMultiplexed = mayBeMultiplexed
  }

  /// Sets the limits for the following heads.
  func setLimits(_ limits: Limits) {
    self.limits = limits
    cached = nil
  }

  /// Prepares for the responses to another request.
  func begin(mayBeMultiplexed: Bool) {
    prepareForNextHead()
    if mayBeMultiplexed != self.mayBeMultiplexed {
      self.mayBeMultiplexed = mayBeMultiplexed
      cached = nil
    }
    statusLine = nil
    informationalCount = 0
  }

  /// Processes a line with its line end, and returns the head that it completes.
  func process(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
    if part == .status, matchedCount == 0 { isComparing = selectCachedHead() }
    guard isComparing, let cached else { return try parse(raw) }
    if cached.contains(raw, at: matchedCount) { return match(raw.count, of: cached) }
    try parseMatchedLines(of: cached)
    return try parse(raw)
  }

  /// Compares a line with the cached head; true if they are equal and the line is neither the first nor the last one.
  func matchesCachedHead(_ raw: UnsafeRawBufferPointer) -> Bool {
    guard matchedCount > 0, let cached, matchedCount + raw.count < cached.size, cached.contains(raw, at: matchedCount)
    else { return false }
    matchedCount += raw.count
    return true
  }

  /// Selects the cached head that the next head is compared with; false if there is none.
  ///
  /// A cached head that the current limits do not allow is not used.
  private func selectCachedHead() -> Bool {
    if cached !== cache.head { cached = usable(cache.head) }
    return cached != nil
  }

  private func usable(_ cached: CachedHead?) -> CachedHead? {
    guard let cached, mayBeMultiplexed || !cached.head.statusLine.isMultiplexed, cached.size <= limits.responseFields,
      cached.fieldCount <= maximumFieldCount
    else { return nil }
    return cached
  }

  /// Counts the bytes of an equal line, and returns the cached head after its last line.
  private func match(_ count: Int, of cached: CachedHead) -> Head? {
    if matchedCount == 0 { statusLine = cached.head.statusLine }
    matchedCount += count
    guard matchedCount == cached.size else { return nil }
    stopComparing()
    part = .trailers
    return .final(cached.head)
  }

  /// Parses the lines that were only compared, because the current head differs from the cached one.
  private func parseMatchedLines(of cached: CachedHead) throws(LupineError) {
    let matched = cached.lines(before: matchedCount)
    stopComparing()
    for line in matched {
      _ = try line.withUnsafeBufferPointer { (bytes) throws(LupineError) in try parse(UnsafeRawBufferPointer(bytes)) }
    }
  }

  private func stopComparing() {
    isComparing = false
    matchedCount = 0
  }

  private func parse(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
    try countBytes(of: raw)
    guard raw.count >= 2, raw[raw.count - 1] == 0x0A, raw[raw.count - 2] == 0x0D else {
      throw MalformedResponse.bareLineFeed.error
    }
    let line = UnsafeRawBufferPointer(rebasing: raw[..<(raw.count - 2)])
    switch part {
    case .status: try parseStatusLine(line)
    case .fields where line.isEmpty: return try completeHead()
    case .fields: try appendField(line)
    case .trailers where line.isEmpty: break
    case .trailers: try appendField(line)
    }
    return nil
  }

  /// Prepares for the head of another response to the same request, after a challenge that libcurl answers itself.
  func prepareForNextHead() {
    stopComparing()
    part = .status
    size = 0
    trailers = nil
  }

  private func parseStatusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    let status = try cache.statusLine(line)
    guard mayBeMultiplexed || !status.isMultiplexed else { throw MalformedResponse.version.error }
    statusLine = status
    part = .fields
    framing = Framing()
    fields.reserveCapacity(8)
  }

  private func completeHead() throws(LupineError) -> Head? {
    guard let statusLine else { throw MalformedResponse.statusLine.error }
    try framing.check(statusLine.version)
    let head = cache.head(statusLine, fields, framing)
    fields = []
    size = 0
    guard statusLine.code < 200 else {
      part = .trailers
      return .final(head)
    }
    guard statusLine.code != 101 else { throw MalformedResponse.switchingProtocols.error }
    part = .status
    informationalCount += 1
    try Self.check(informationalCount, against: limits.informationalResponses, .informationalResponses)
    return .informational(head.response)
  }

  private func appendField(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    if line[0].isBlank { throw MalformedResponse.folded.error }
    guard let field = try cache.field(line) else {
      throw part == .trailers ? MalformedResponse.secondHead.error : MalformedResponse.fieldName.error
    }
    if part == .trailers {
      // Moved out to avoid exclusivity checks.
      var all = trailers.take() ?? HTTPFields()
      all.append(field.field)
      trailers = all
    } else {
      if field.isFraming { try framing.record(field.field.name, UnsafeRawBufferPointer(rebasing: line[field.value])) }
      fields.append(field)
    }
    try Self.check(trailers?.count ?? fields.count, against: maximumFieldCount, .responseFieldCount)
  }

  private var maximumFieldCount: Int { min(limits.responseFieldCount, 65_000) }

  private func countBytes(of raw: UnsafeRawBufferPointer) throws(LupineError) {
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
