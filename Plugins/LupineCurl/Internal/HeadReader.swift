import HTTPTypes
import LupineCore

/// Makes heads and trailers of the raw lines that libcurl hands over, and refuses those that could be read in two ways.
struct HeadReader {
  /// A head that is complete.
  enum Head {
    case informational(HTTPResponse)
    case final(HTTPResponse, Framing)
  }

  private enum Part { case status, fields, trailers }

  /// What the last status line said.
  private(set) var line: StatusLine?
  private(set) var trailers: HTTPFields?
  private let limits: Limits
  private let lines: KnownLines
  private let mayBeMultiplexed: Bool
  private var part = Part.status
  /// The fields of the head that is being read.
  private var fields: [FieldLine] = []
  private var framing = Framing()
  private var size = 0
  private var informationalCount = 0

  /// - Parameter mayBeMultiplexed: whether HTTP/2 can have been agreed on.
  init(_ limits: Limits, _ lines: KnownLines, mayBeMultiplexed: Bool) {
    self.limits = limits
    self.lines = lines
    self.mayBeMultiplexed = mayBeMultiplexed
  }

  init(_ submission: Submission, _ lines: KnownLines) {
    self.init(
      submission.context.limits, lines,
      mayBeMultiplexed: submission.options.version == .http2
        || (submission.options.version == nil && submission.url.scheme == .https))
  }

  /// Takes a line with its end, and returns the head that it completes.
  mutating func take(_ raw: UnsafeRawBufferPointer) throws(LupineError) -> Head? {
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

  /// Gets ready for the head of another response, where libcurl answers a challenge by itself.
  mutating func beginAgain() {
    part = .status
    size = 0
    trailers = nil
  }

  private mutating func begin(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    let status = try lines.statusLine(line)
    let isMultiplexed = status.version == .http2 || status.version == .http3
    guard mayBeMultiplexed || !isMultiplexed else { throw MalformedResponse.version.error }
    self.line = status
    part = .fields
    framing = Framing()
    fields.reserveCapacity(8)
  }

  private mutating func complete() throws(LupineError) -> Head? {
    guard let line else { throw MalformedResponse.statusLine.error }
    try framing.check(line.version)
    var head = line.head
    head.headerFields = lines.join(fields)
    fields = []
    size = 0
    guard line.code < 200 else {
      part = .trailers
      return .final(head, framing)
    }
    guard line.code != 101 else { throw MalformedResponse.switchingProtocols.error }
    part = .status
    informationalCount += 1
    try Self.keep(informationalCount, to: limits.informationalResponses, .informationalResponses)
    return .informational(head)
  }

  private mutating func append(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    if line[0].isBlank { throw MalformedResponse.folded.error }
    guard let field = try lines.field(line) else {
      throw part == .trailers ? MalformedResponse.secondHead.error : MalformedResponse.fieldName.error
    }
    if part == .trailers {
      trailers = trailers ?? HTTPFields()
      trailers?.append(field.field)
    } else {
      if field.isFraming { try framing.note(field.field.name, UnsafeRawBufferPointer(rebasing: line[field.value])) }
      fields.append(field)
    }
    try Self.keep(trailers?.count ?? fields.count, to: min(limits.responseFieldCount, 65_000), .responseFieldCount)
  }

  private mutating func count(_ raw: UnsafeRawBufferPointer) throws(LupineError) {
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
