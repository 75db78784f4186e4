import LupineCore
import LupineStreams
import LupineFraming
import Testing

/// The result of reading a body in pieces.
struct Reading: Equatable {
  var content: [UInt8] = []
  var trailers: [UInt8] = []
  /// The bytes after the end of the body.
  var rest: [UInt8] = []
  var failure: LupineError.Kind?
  var isFinished = false

  /// Reads a text in several ways, and returns the result, which must be the same each time.
  ///
  /// The text is read in one piece, in two pieces with a cut at every position, and byte by byte.
  static func theSame(of text: String, _ limits: Limits = Limits()) throws -> Reading {
    let bytes = Array(text.utf8)
    let whole = Reading([bytes], limits)
    for place in 0...bytes.count {
      try #require(Reading([Array(bytes[..<place]), Array(bytes[place...])], limits) == whole, "cut at \(place)")
    }
    try #require(Reading(bytes.map { [$0] }, limits) == whole, "byte by byte")
    return whole
  }

  init(_ text: String) { self.init([Array(text.utf8)], Limits()) }

  private init(_ pieces: [[UInt8]], _ limits: Limits) {
    var reader = ChunkReader(limits)
    do throws(LupineError) {
      for piece in pieces { try take(piece, &reader) }
    } catch {
      failure = error.kind
    }
    isFinished = reader.isFinished
  }

  private mutating func take(_ piece: [UInt8], _ reader: inout ChunkReader) throws(LupineError) {
    var position = 0
    while let element = try Self.next(in: piece, from: &position, &reader) {
      switch element {
      case .content(let range): content += piece[range]
      case .trailer(let line): trailers += line
      case .end: break
      }
    }
    rest += piece[position...]
  }

  private static func next(
    in piece: [UInt8], from position: inout Int, _ reader: inout ChunkReader
  ) throws(LupineError) -> ChunkReader.Element? {
    var start = position
    let found = piece.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try reader.next(in: bytes, from: &start) }
    }
    position = start
    return try found.get()
  }
}
