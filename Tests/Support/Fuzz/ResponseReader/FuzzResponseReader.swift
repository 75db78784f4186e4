import FuzzRunner
import Glibc
import HTTPTypes
import LupineCore
import LupineFraming

/// The result of reading an input, to be compared with another reading of the same input.
private struct Reading: Equatable {
  var heads: [String] = []
  var content: [UInt8] = []
  var trailers: [String] = []
  /// The bytes after the end of the response.
  var rest: [UInt8] = []
  var failure: String?
  var isFinished = false
  var keepsConnection = false

  /// Reads a response in pieces of `pieceSize` bytes, up to the end of its connection.
  init(
    _ bytes: [UInt8], _ method: HTTPRequest.Method, pieceSize: Int, _ cache: HeadCache,
    tolerating tolerances: ResponseTolerances = []
  ) {
    // Limits that a short input can exceed.
    var limits = Limits()
    limits.responseFields = 256
    limits.responseFieldCount = 8
    limits.informationalResponses = 2
    limits.chunkExtensions = 32
    limits.trailers = 64
    var reader = ResponseReader(to: method, limits, cache, tolerating: tolerances)
    var start = 0
    do throws(LupineError) {
      while start < bytes.count {
        let end = min(start + pieceSize, bytes.count)
        try take(Array(bytes[start..<end]), &reader)
        start = end
      }
      if let event = try reader.connectionEnded() { record(event, of: [], upTo: 0) }
    } catch {
      failure = "\(error.kind): \(error.message)"
    }
    isFinished = reader.isFinished
    keepsConnection = reader.keepsConnection
    precondition(isFinished == (failure == nil), "The reader is neither at the end nor at an error.")
    precondition(rest.isEmpty || isFinished, "The reader left bytes of a piece without an error.")
  }

  private mutating func take(_ piece: [UInt8], _ reader: inout ResponseReader) throws(LupineError) {
    let wasFinished = reader.isFinished
    var position = 0
    while let event = try Self.next(in: piece, from: &position, &reader) {
      precondition(!wasFinished, "The reader finds an event behind the end.")
      record(event, of: piece, upTo: position)
    }
    rest += piece[position...]
  }

  private mutating func record(_ event: ResponseReader.Event, of piece: [UInt8], upTo position: Int) {
    switch event {
    case .interim(let head): heads.append(Self.text(head))
    case .head(let head, let framing): heads.append("\(Self.text(head.response)) \(framing)")
    case .content(let range):
      precondition(!range.isEmpty && range.upperBound == position, "The reader is not where its content ends.")
      content += piece[range]
    case .end(let trailers): self.trailers = (trailers ?? [:]).map { "\($0.name.canonicalName)=\($0.value)" }
    }
  }

  private static func text(_ head: HTTPResponse) -> String {
    "\(head.status) " + head.headerFields.map { "\($0.name.canonicalName)=\($0.value)" }.joined(separator: "|")
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
}

/// Checks that the reader finds the same response for every division of its input, and with every state of its cache.
///
/// A tolerant reader must do the same. It finds what a strict one finds, if that one accepts the response, and does not make a
/// strict one with the same cache accept more.
///
/// The first byte determines the size of the pieces and the method. The rest of the input is the response.
@main
struct FuzzResponseReader {
  static func main() {
    exit(runFuzzer(testResponseReader))
  }
}

private func check(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let methods: [HTTPRequest.Method] = [.get, .head, .connect, .post]
  let method = methods[Int(first >> 5) % methods.count]
  let response = Array(bytes.dropFirst())
  let cache = HeadCache()
  let whole = Reading(response, method, pieceSize: max(response.count, 1), HeadCache())
  for size in [Int(first % 32) + 1, max(response.count, 1), 1, Int(first % 32) + 1, max(response.count, 1)] {
    let cut = Reading(response, method, pieceSize: size, cache)
    precondition(whole == cut, "The reader finds something else when its input is cut: \(whole) and \(cut)")
  }
  checkTolerant(response, method, pieceSize: Int(first % 32) + 1, strict: whole, cache)
}

private func checkTolerant(
  _ response: [UInt8], _ method: HTTPRequest.Method, pieceSize: Int, strict: Reading, _ cache: HeadCache
) {
  let all = ResponseTolerances(rawValue: .max)
  let size = max(response.count, 1)
  let whole = Reading(response, method, pieceSize: size, HeadCache(), tolerating: all)
  if strict.isFinished { precondition(whole == strict, "A tolerant reader reads a valid response in another way.") }
  for size in [pieceSize, size, 1, pieceSize] {
    let cut = Reading(response, method, pieceSize: size, cache, tolerating: all)
    precondition(whole == cut, "A tolerant reader finds something else when its input is cut: \(whole) and \(cut)")
  }
  let again = Reading(response, method, pieceSize: pieceSize, cache)
  precondition(again == strict, "The cache of a tolerant reader changes a strict one: \(strict) and \(again)")
}

private func testResponseReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
