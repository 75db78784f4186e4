import FoundationEssentials
import HTTPTypes
import LupineCore

/// Encodes a multipart as a flat list of pieces; nested multiparts are in place.
struct PieceList {
  private(set) var pieces: [Piece] = []
  private var frame: [UInt8] = []
  private var open: [MultipartBoundary] = []

  /// The maximum depth, which bounds the recursion.
  private static let nestingLimit = 64

  init(_ multipart: Multipart) throws(LupineError) {
    try add(multipart, label: nil)
    flush()
  }

  private mutating func add(_ multipart: Multipart, label: PartLabel?) throws(LupineError) {
    if let problem = multipart.problem { throw label?.naming(problem) ?? problem }
    try enter(multipart.separator, label)
    for (index, part) in multipart.parts.enumerated() {
      let label = PartLabel(number: index + 1, name: part.name, inside: label)
      frame += "--\(multipart.boundary)\r\n".utf8
      for field in part.headers { frame += "\(field.name.rawName): \(field.value)\r\n".utf8 }
      frame += "\r\n".utf8
      switch part.content {
      case .multipart(let nested): try add(nested, label: label)
      case .body(let body): try add(body, label)
      }
      frame += "\r\n".utf8
    }
    frame += "--\(multipart.boundary)--\r\n".utf8
    open.removeLast()
  }

  private mutating func add(_ body: RequestBody, _ label: PartLabel) throws(LupineError) {
    if body.isNone { return }
    let piece = Piece(body, label: label)
    if case .bytes(let data) = piece.content {
      for boundary in open where boundary.isChosen && data.containsDelimiter(boundary.text) {
        throw LupineError(
          .invalidRequest,
          "\(label) of the multipart body contains the boundary \"\(boundary.text)\"; choose another, or let one be made."
        )
      }
    }
    flush()
    pieces.append(piece)
  }

  private mutating func enter(_ boundary: MultipartBoundary, _ label: PartLabel?) throws(LupineError) {
    guard open.count < Self.nestingLimit else {
      throw LupineError(.limitExceeded(.nesting), "Multiparts are nested more than \(Self.nestingLimit) levels deep.")
    }
    if open.contains(where: boundary.isConfusable(with:)) {
      throw LupineError(
        .invalidRequest,
        "\(label?.description ?? "A part") of the multipart body is a multipart whose boundary cannot be told from the one around it."
      )
    }
    open.append(boundary)
  }

  private mutating func flush() {
    if !frame.isEmpty { pieces.append(Piece(frame: frame)) }
    frame = []
  }
}

extension Data {
  /// Whether a line in the data begins with a delimiter of this boundary.
  fileprivate func containsDelimiter(_ boundary: String) -> Bool {
    let search = DelimiterSearch(boundary: boundary)
    if starts(with: search.delimiter.dropFirst(2)) { return true }
    return withUnsafeBytes { bytes in search.first(in: bytes)?.matched == search.delimiter.count }
  }
}
