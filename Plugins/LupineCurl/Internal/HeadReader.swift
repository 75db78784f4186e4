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
  private let names: FieldNames
  private let mayBeMultiplexed: Bool
  private var part = Part.status
  /// The fields of the head that is being read; `HTTPFields` takes many at once at a fraction of the cost.
  private var fields: [HTTPField] = []
  private var framing = Framing()
  private var size = 0
  private var informationalCount = 0

  /// - Parameter mayBeMultiplexed: whether HTTP/2 can have been agreed on.
  init(_ limits: Limits, _ names: FieldNames, mayBeMultiplexed: Bool) {
    self.limits = limits
    self.names = names
    self.mayBeMultiplexed = mayBeMultiplexed
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
    let status = try StatusLine(line)
    let isMultiplexed = status.version == .http2 || status.version == .http3
    guard mayBeMultiplexed || !isMultiplexed else { throw MalformedResponse.version.error }
    self.line = status
    part = .fields
    framing = Framing()
    fields.removeAll()
    fields.reserveCapacity(8)
  }

  private mutating func complete() throws(LupineError) -> Head? {
    guard let line else { throw MalformedResponse.statusLine.error }
    try framing.check(line.version)
    let head = HTTPResponse(status: line.status, headerFields: HTTPFields(fields))
    fields = []
    size = 0
    guard line.code < 200 else {
      part = .trailers
      return .final(head, framing)
    }
    guard line.code != 101 else { throw MalformedResponse.switchingProtocols.error }
    part = .status
    informationalCount += 1
    try keep(informationalCount, to: limits.informationalResponses, .informationalResponses)
    return .informational(head)
  }

  private mutating func append(_ line: UnsafeRawBufferPointer) throws(LupineError) {
    if line[0].isBlank { throw MalformedResponse.folded.error }
    guard let colon = line.firstIndex(of: 0x3A) else {
      throw part == .trailers ? MalformedResponse.secondHead.error : MalformedResponse.fieldName.error
    }
    guard let name = names.name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else {
      throw MalformedResponse.fieldName.error
    }
    var value = line[(colon + 1)...]
    while let first = value.first, first.isBlank { value.removeFirst() }
    while let last = value.last, last.isBlank { value.removeLast() }
    guard value.allSatisfy(\.isFieldByte) else { throw MalformedResponse.fieldValue.error }
    let bytes = UnsafeRawBufferPointer(rebasing: value)
    if part == .trailers {
      trailers = trailers ?? HTTPFields()
      trailers?.append(Self.field(name, bytes))
    } else {
      try framing.note(name, bytes)
      fields.append(Self.field(name, bytes))
    }
    try keep(trailers?.count ?? fields.count, to: min(limits.responseFieldCount, 65_000), .responseFieldCount)
  }

  /// Plain text, as nearly all values are, needs no search for its encoding.
  private static func field(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) -> HTTPField {
    guard value.allSatisfy({ $0 < 0x80 }) else { return HTTPField(name: name, value: value) }
    return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
  }

  private mutating func count(_ raw: UnsafeRawBufferPointer) throws(LupineError) {
    size += raw.count
    if part == .trailers {
      try keep(size, to: limits.trailers, .trailers)
    } else {
      try keep(size, to: limits.responseFields, .responseFields)
    }
  }

  private func keep(_ count: Int, to limit: Int, _ name: Limits.Name) throws(LupineError) {
    guard count > limit else { return }
    throw LupineError(
      .limitExceeded(name), "The response exceeds \(limit), the limit \(name.rawValue); its connection is closed.")
  }
}
