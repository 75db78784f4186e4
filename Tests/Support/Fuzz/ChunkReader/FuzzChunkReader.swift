import FuzzRunner
import Glibc
import LupineCore
import LupineFraming

/// The result of reading an input, to be compared with another reading of the same input.
private struct Reading: Equatable {
  var content: [UInt8] = []
  var trailers: [[UInt8]] = []
  /// The bytes after the end of the body.
  var rest: [UInt8] = []
  var failure: LupineError.Kind?
  var isFinished = false

  /// Reads a body in pieces of `pieceSize` bytes.
  init(_ bytes: [UInt8], pieceSize: Int, _ limits: Limits) {
    var reader = ChunkReader(limits)
    var start = 0
    do throws(LupineError) {
      while start < bytes.count {
        let end = min(start + pieceSize, bytes.count)
        try take(Array(bytes[start..<end]), &reader)
        start = end
      }
    } catch {
      failure = error.kind
    }
    isFinished = reader.isFinished
    precondition(rest.isEmpty || isFinished, "The reader left bytes of a piece without an error.")
  }

  private mutating func take(_ piece: [UInt8], _ reader: inout ChunkReader) throws(LupineError) {
    let wasFinished = reader.isFinished
    var position = 0
    while let element = try Self.next(in: piece, from: &position, &reader) {
      precondition(!wasFinished, "The reader finds an element behind the end.")
      switch element {
      case .content(let range):
        precondition(!range.isEmpty && range.upperBound == position, "The reader is not where its content ends.")
        content += piece[range]
      case .trailer(let line):
        precondition(line.count > 2 && line.suffix(2) == [13, 10], "A trailer is no line.")
        trailers.append(line)
      case .end: precondition(reader.isFinished, "The end is not the end.")
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

/// Checks that the reader finds the same elements for every division of its input.
///
/// The first byte determines the size of the pieces. The rest of the input is the body.
@main
struct FuzzChunkReader {
  static func main() {
    exit(runFuzzer(testChunkReader))
  }
}

private func check(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let body = Array(bytes.dropFirst())
  // Limits that a short input can exceed.
  var limits = Limits()
  limits.chunkExtensions = 32
  limits.trailers = 64
  let whole = Reading(body, pieceSize: max(body.count, 1), limits)
  let cut = Reading(body, pieceSize: Int(first % 32) + 1, limits)
  precondition(whole == cut, "The reader finds something else when its input is cut: \(whole) and \(cut)")
}

private func testChunkReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
