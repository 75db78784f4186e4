import LupineCore
import LupineFoundation
import LupineSupport

/// A recorded body, before its secrets have been replaced.
enum CollectedBody: Sendable {
  /// There was no body, or an empty one.
  case none
  /// A text of at most 16 MiB, or at most 1 KiB of other bytes; `BodyStore.content(_:)` keeps the bytes that are left after redaction.
  case data(Data)
  /// Other bytes, which have been written to a file that `BodyStore.keep(_:)` keeps.
  ///
  /// `isText` is true for a text that is too long to be redacted.
  case file(PendingFile, isText: Bool)
  /// A body that is not kept.
  case digest(length: Int64, sha256: Data)
}

/// Collects the decoded bytes of a body in memory, or in a file if they are not text or too many.
struct BodyCollector: Sendable {
  /// The number of bytes of a text that are kept in memory: 16 MiB.
  static let largestText = 16 << 20

  /// The destination of a body that is not kept in memory.
  enum Overflow: Sendable {
    /// A file beside the cassette.
    case file(BodyStore)
    /// None but its length and digest, if it has more than this number of bytes.
    case digest(above: Int)
  }

  private let overflow: Overflow
  private var memory: [UInt8] = []
  private var check = TextCheck()
  private var file: PendingFile?
  /// The length and the digest of a body that is not kept.
  private var counted: (length: Int64, hash: SHA256)?

  init(_ overflow: Overflow) { self.overflow = overflow }

  /// The number of bytes that are held in memory.
  var memoryCount: Int { memory.capacity }

  /// Appends decoded bytes; it blocks while a file is written.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if let file {
      check.add(bytes)
      return try file.append(bytes)
    }
    if counted != nil { return count(bytes) }
    memory.append(contentsOf: bytes)
    switch overflow {
    case .file(let store):
      check.add(bytes)
      let limit = check.isText ? Self.largestText : BodyStore.inlineBinary
      if memory.count > limit { try spill(to: store) }
    case .digest(let limit):
      if memory.count > limit { countMemory() }
    }
  }

  private mutating func spill(to store: BodyStore) throws(LupineError) {
    let file = try store.begin()
    let result = memory.withUnsafeBytes { bytes in Result { () throws(LupineError) in try file.append(bytes) } }
    try result.get()
    memory = []
    self.file = file
  }

  private mutating func countMemory() {
    counted = (0, SHA256())
    let bytes = exchange(&memory, with: [])
    bytes.withUnsafeBytes { count($0) }
  }

  private mutating func count(_ bytes: UnsafeRawBufferPointer) {
    counted?.length += Int64(bytes.count)
    counted?.hash.update(bytes)
  }

  /// Returns the body after its last byte; it blocks while a file is written.
  mutating func finish() throws(LupineError) -> CollectedBody {
    if var counted { return .digest(length: counted.length, sha256: Data(counted.hash.finalize())) }
    if case .file(let store) = overflow, file == nil, !check.isCompleteText, memory.count > BodyStore.inlineBinary {
      try spill(to: store)
    }
    if let file { return .file(file, isText: check.isCompleteText) }
    return memory.isEmpty ? .none : .data(Data(exchange(&memory, with: [])))
  }
}

/// Checks, piece by piece, whether bytes are text: UTF-8 without a zero byte.
struct TextCheck: Sendable {
  /// The first bytes of a character whose last ones have not arrived.
  private var tail: [UInt8] = []
  /// Whether the bytes so far can begin a text.
  private(set) var isText = true

  /// Whether the bytes so far are a text.
  var isCompleteText: Bool { isText && tail.isEmpty }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard isText, !bytes.isEmpty else { return }
    var piece = tail
    piece.append(contentsOf: bytes)
    tail = Array(piece.suffix(Self.incompleteCount(piece)))
    piece.removeLast(tail.count)
    isText = !piece.contains(0) && (try? UTF8Span(validating: piece.span)) != nil
  }

  /// The number of bytes at the end that begin a character and are less than all of it.
  private static func incompleteCount(_ bytes: [UInt8]) -> Int {
    for (distance, byte) in bytes.suffix(3).reversed().enumerated() where byte >= 0xC0 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      return distance + 1 < length ? distance + 1 : 0
    }
    return 0
  }
}
