import LupineCompression
import LupineCore
import LupineSession

/// The codings under test, by their names.
enum Coding: String, CaseIterable, Sendable {
  case gzip
  case deflate
  case brotli = "br"
  case zstd

  var coding: any ContentCoding {
    switch self {
    case .gzip: .gzip
    case .deflate: .deflate
    case .brotli: .brotli
    case .zstd: .zstd
    }
  }

  /// Decodes the bytes, by default with limits that only tests of limits reach.
  func decode(_ bytes: [UInt8], pieces: Int = .max, limits: DecodingLimits = .generous) throws -> [UInt8] {
    try run(coding.makeDecoder(limits: limits), over: bytes, pieces: pieces).joined
  }

  func encode(_ bytes: [UInt8], pieces: Int = .max) throws -> [UInt8] {
    try run(coding.makeEncoder(), over: bytes, pieces: pieces).joined
  }
}

extension DecodingLimits {
  static let generous = DecodingLimits(maximumSize: 1 << 30, maximumRatio: 1_000_000)
}

/// The output of a transformer.
struct Outcome: Sendable {
  var joined: [UInt8] = []
  var largestPiece = 0
  var pieces = 0
}

/// Passes the bytes to a transformer in pieces of a fixed size, and then finishes it.
func run(
  _ transformer: any BodyTransformer, over bytes: [UInt8], pieces: Int = .max
) throws -> Outcome {
  var outcome = Outcome()
  let output: BodyTransformer.Output = { piece in outcome.add(piece) }
  var start = 0
  while start < bytes.count {
    let end = start + min(pieces, bytes.count - start)
    try feed(transformer, bytes[start..<end], into: output)
    start = end
  }
  try transformer.finish(into: output)
  return outcome
}

/// Passes one piece to a transformer.
func feed(
  _ transformer: any BodyTransformer, _ bytes: ArraySlice<UInt8>, into output: BodyTransformer.Output
) throws {
  try bytes.withUnsafeBytes { try transformer.transform($0, into: output) }
}

extension Outcome {
  mutating func add(_ piece: UnsafeRawBufferPointer) {
    joined += piece
    largestPiece = max(largestPiece, piece.count)
    pieces += 1
  }
}
