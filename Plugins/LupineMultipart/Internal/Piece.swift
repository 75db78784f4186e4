import FoundationEssentials
import LupineCore

/// A stretch of an encoded multipart: bytes in memory, or a body that is read when its turn comes.
struct Piece: Sendable {
  enum Content: Sendable {
    case bytes(Data)
    case body(RequestBody)
  }

  let content: Content
  /// Bytes, where known; a file's once it has been measured.
  var length: Int64?
  /// The part this belongs to.
  let label: PartLabel?
  /// The path of a file that is sent whole, so that it must not grow meanwhile.
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

  /// The body that is read for it, where it is not in memory.
  var body: RequestBody? {
    if case .body(let body) = content { body } else { nil }
  }

  /// What this is to whoever shows the request.
  var section: RequestBody.Section {
    switch content {
    case .bytes(let data): RequestBody.Section(.bytes(data), name: label?.name)
    case .body(let body): RequestBody.Section(body.source, length: length, name: label?.name)
    }
  }

  /// Whether a read may find nothing at hand.
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

  /// The pieces with the lengths of their files, each of which exists and can be read.
  static func measured(_ pieces: [Piece]) throws(LupineError) -> [Piece] {
    var pieces = pieces
    for index in pieces.indices {
      do throws(LupineError) {
        try pieces[index].measure()
      } catch {
        throw pieces[index].label?.naming(error) ?? error
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

  /// Opens a body for one sending; a file with the length that was measured.
  func open(onReady: @escaping @Sendable () -> Void) throws(LupineError) -> (any BodyReader)? {
    guard case .body(let body) = content else { return nil }
    guard case .file(let path, let offset) = body.source else { return try body.makeReader(onReady: onReady) }
    return try RequestBody.file(path, offset: offset, length: length).makeReader(onReady: onReady)
  }

  /// Checks that a file has not grown since it was measured.
  func checkSize() throws(LupineError) {
    guard let wholeFile, case .body(let body) = content, case .file(_, let offset) = body.source else { return }
    let size = try OpenFile(reading: wholeFile).size()
    guard size - offset == length else {
      throw LupineError(.bodyFailed, "The file \(wholeFile) changed its size while it was being sent.")
    }
  }
}
