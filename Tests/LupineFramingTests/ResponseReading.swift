import HTTPTypes
import LupineCore
import LupineFraming
import Testing

/// The result of reading the bytes of a connection as one response.
struct ResponseReading: Equatable {
  /// The interim heads: each with its status and its fields.
  var interim: [String] = []
  var status: String?
  /// The fields of the final head, as `name=value`.
  var fields: [String] = []
  var framing: ResponseFraming?
  var content: [UInt8] = []
  var trailers: [String] = []
  /// The bytes after the end of the response.
  var rest: [UInt8] = []
  var failure: LupineError.Kind?
  var message = ""
  var isFinished = false
  var keepsConnection = false
  var version: ProtocolVersion?
  var tolerated: ResponseTolerances = []

  /// Reads bytes in several ways, and returns the result, which must be the same each time.
  ///
  /// The bytes are read in one piece, in two pieces with a cut at every position, and byte by byte; with an empty cache,
  /// and with one that has read the same bytes three times.
  static func theSame(
    of bytes: [UInt8], to method: HTTPRequest.Method = .get, _ limits: Limits = Limits(),
    tolerating tolerances: ResponseTolerances = [], cache warm: HeadCache = HeadCache()
  ) throws -> ResponseReading {
    func read(_ pieces: [[UInt8]], _ cache: HeadCache) -> ResponseReading {
      ResponseReading(pieces, method, limits, cache, tolerating: tolerances)
    }
    let whole = read([bytes], HeadCache())
    for _ in 0..<3 { _ = read([bytes], warm) }
    try #require(read([bytes], warm) == whole, "with a cache")
    for place in 0...bytes.count {
      try #require(read([Array(bytes[..<place]), Array(bytes[place...])], warm) == whole, "cut at \(place)")
    }
    let single = bytes.map { [$0] }
    try #require(read(single, HeadCache()) == whole, "byte by byte")
    try #require(read(single, warm) == whole, "byte by byte, with a cache")
    return whole
  }

  init(
    _ pieces: [[UInt8]], _ method: HTTPRequest.Method, _ limits: Limits, _ cache: HeadCache,
    tolerating tolerances: ResponseTolerances = []
  ) {
    var reader = ResponseReader(to: method, limits, cache, tolerating: tolerances)
    do throws(LupineError) {
      for piece in pieces { try take(piece, &reader) }
      if let event = try reader.connectionEnded() { record(event, of: []) }
    } catch {
      failure = error.kind
      message = error.message
    }
    isFinished = reader.isFinished
    keepsConnection = reader.keepsConnection
    version = reader.version
    tolerated = reader.tolerated
  }

  private mutating func take(_ piece: [UInt8], _ reader: inout ResponseReader) throws(LupineError) {
    var position = 0
    while let event = try Self.next(in: piece, from: &position, &reader) { record(event, of: piece) }
    rest += piece[position...]
  }

  private mutating func record(_ event: ResponseReader.Event, of piece: [UInt8]) {
    switch event {
    case .interim(let head):
      interim.append(([Self.text(head.status)] + Self.texts(head.headerFields)).joined(separator: "|"))
    case .head(let head, let framing):
      status = Self.text(head.response.status)
      fields = Self.texts(head.response.headerFields)
      self.framing = framing
    case .content(let range): content += piece[range]
    case .end(let trailers): self.trailers = trailers.map(Self.texts) ?? []
    }
  }

  private static func next(
    in piece: [UInt8], from position: inout Int, _ reader: inout ResponseReader
  ) throws(LupineError) -> ResponseReader.Event? {
    var start = position
    let found = piece.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try reader.next(in: bytes, from: &start) }
    }
    position = start
    return try found.get()
  }

  private static func text(_ status: HTTPResponse.Status) -> String { "\(status.code) \(status.reasonPhrase)" }

  private static func texts(_ fields: HTTPFields) -> [String] {
    // A cache may return a name with the case of an earlier head.
    fields.map { "\($0.name.canonicalName)=\($0.value)" }
  }
}
