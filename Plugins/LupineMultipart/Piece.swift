import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// A section of an encoded multipart: bytes in memory, or a body that is opened when it is read.
struct Piece: Sendable {
  enum Content: Sendable {
    case bytes(Data)
    case body(RequestBody)
  }

  let content: Content
  /// The length in bytes; `nil` if it is unknown, as for a file before it is measured.
  var length: Int64?
  /// The part that contains the piece; `nil` for delimiters and fields.
  let label: PartLabel?
  /// The path of a file that is sent to its end, and therefore must not grow during sending.
  private(set) var wholeFile: String?

  init(frame bytes: [UInt8]) {
    content = .bytes(Data(bytes))
    length = Int64(bytes.count)
    label = nil
  }

  init(_ body: RequestBody, label: PartLabel) {
    self.label = label
    length = body.length
    if case .bytes(let data) = body.source {
      content = .bytes(data)
    } else {
      content = .body(body)
    }
  }

  /// The body to read; `nil` for bytes in memory.
  var body: RequestBody? {
    if case .body(let body) = content { body } else { nil }
  }

  /// The description of the piece for code that shows the request.
  var section: RequestBody.Section {
    switch content {
    case .bytes(let data): RequestBody.Section(.bytes(data), name: label?.name)
    case .body(let body): RequestBody.Section(body.source, length: length, name: label?.name)
    }
  }

  /// Whether a read may return `pending`.
  var isStream: Bool {
    if case .body(let body) = content { body.source == .stream } else { false }
  }

  static func knownLength(of pieces: [Piece]) -> Int64? {
    var total: Int64 = 0
    for piece in pieces {
      guard let length = piece.length else { return nil }
      let (sum, isOver) = total.addingReportingOverflow(length)
      if isOver { return nil }
      total = sum
    }
    return total
  }

  /// Returns the pieces with the lengths of their files.
  ///
  /// - Throws: `LupineError` if a file cannot be opened or is too short.
  static func measured(_ pieces: [Piece]) throws(LupineError) -> [Piece] {
    var pieces = pieces
    for index in pieces.indices {
      do throws(LupineError) {
        try pieces[index].measure()
      } catch {
        throw pieces[index].label?.prepended(to: error) ?? error
      }
    }
    return pieces
  }

  private mutating func measure() throws(LupineError) {
    guard case .body(let body) = content, case .file(let path, let offset) = body.source else { return }
    let size = try OpenFile(reading: path).size()
    guard length == nil else {
      guard offset >= 0, length ?? 0 >= 0, length ?? 0 <= size - offset else {
        throw LupineError(.bodyFailed, "The file \(path) has \(size) bytes, fewer than were to be sent.")
      }
      return
    }
    guard (0...size).contains(offset) else {
      throw LupineError(.bodyFailed, "The file \(path) has \(size) bytes and ends before byte \(offset).")
    }
    length = size - offset
    wholeFile = path
  }

  /// Makes the reader for one sending, which opens the body at its first read; a file is read to the measured length.
  func makeReader(onReady: @escaping @Sendable () -> Void) -> (any BodyReader)? {
    guard case .body(let body) = content else { return nil }
    guard case .file(let path, let offset) = body.source else { return body.makeDeferredReader(onReady: onReady) }
    let reader = RequestBody.file(path, offset: offset, length: length).makeDeferredReader(onReady: onReady)
    guard wholeFile != nil else { return reader }
    return WholeFileReader(reader, onReady: onReady) { () throws(LupineError) in try checkSize() }
  }

  /// Throws if the file's size has changed since it was measured.
  private func checkSize() throws(LupineError) {
    guard let wholeFile, case .body(let body) = content, case .file(_, let offset) = body.source else { return }
    let size = try OpenFile(reading: wholeFile).size()
    guard size - offset == length else {
      throw LupineError(.bodyFailed, "The file \(wholeFile) changed its size while it was being sent.")
    }
  }
}

/// Reads a file that is sent to its end, and checks at the end that the file has not grown meanwhile.
final class WholeFileReader: BodyReader {
  private let base: any BodyReader
  private let onReady: @Sendable () -> Void
  private let check: @Sendable () throws(LupineError) -> Void
  private let state = Mutex(State.sending)

  private enum State {
    case sending
    case checking
    case checked(Result<Void, LupineError>)
  }

  /// - Parameter check: called at the end of the file, on a thread that waits for disks.
  init(
    _ base: any BodyReader, onReady: @escaping @Sendable () -> Void,
    _ check: @escaping @Sendable () throws(LupineError) -> Void
  ) {
    self.base = base
    self.onReady = onReady
    self.check = check
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    switch state.withLock({ $0 }) {
    case .checking: return .pending
    case .checked(let result):
      try result.get()
      return .end
    case .sending: break
    }
    let read = try base.read(into: buffer)
    guard read == .end else { return read }
    state.withLock { $0 = .checking }
    BlockingWork.start { [self] in
      let result = Result { () throws(LupineError) in try check() }
      state.withLock { $0 = .checked(result) }
      onReady()
    }
    return .pending
  }

  func cancel() { base.cancel() }
}

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
    if let problem = multipart.problem { throw label?.prepended(to: problem) ?? problem }
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
          "\(label) of the multipart body contains the boundary \"\(boundary.text)\"; choose another, or omit it."
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
        "\(label?.description ?? "A part") of the multipart body is a multipart whose boundary begins like that of an enclosing multipart."
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

/// The name of a part in an error message, such as `Part 2 ("unicorn")`.
struct PartLabel: Sendable, CustomStringConvertible {
  let description: String
  /// The part's own name, without the enclosing parts.
  let name: String?

  init(number: Int, name: String?, inside outer: PartLabel? = nil) {
    self.name = name
    let own = "Part \(number)" + (name.map { " (\"\($0.escapingControls())\")" } ?? "")
    description = outer.map { "\(own) inside \($0)" } ?? own
  }

  /// Returns the error with the part before its message.
  func prepended(to error: LupineError) -> LupineError {
    LupineError(error.kind, "\(description) of the multipart body cannot be sent. \(error.message)", underlying: error)
  }
}
