import LupineCore
import LupineFoundation
import LupineSupport

/// A recorded body, before its secrets have been replaced.
enum CollectedBody: Sendable {
  /// There was no body, or an empty one.
  case none
  /// A text of at most 16 MiB, or at most 1 KiB of other bytes; `BodyStore.content(_:)` keeps the bytes that are left after redaction.
  case data(Data)
  /// Other bytes, or a longer text, which have been written to a file that `BodyStore.keep(_:)` keeps.
  case file(PendingFile)
}

/// Collects the decoded bytes of a body in memory, or in a file if they are not text or too many.
struct BodyCollector: Sendable {
  /// The number of bytes of a text that are kept in memory: 16 MiB.
  static let largestText = 16 << 20

  private let store: BodyStore
  private var memory: [UInt8] = []
  private var check = TextCheck()
  private var file: PendingFile?

  /// - Parameter store: receives a body that is not kept in memory.
  init(_ store: BodyStore) { self.store = store }

  /// The number of bytes that are held in memory.
  var memoryCount: Int { memory.capacity }

  /// Appends decoded bytes; it blocks while a file is written.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    check.add(bytes)
    if file == nil, memory.count + bytes.count > (check.isText ? Self.largestText : BodyStore.inlineBinary) {
      try moveToFile()
    }
    if let file { return try file.append(bytes) }
    // Reserved once, so that a long text is not copied each time it grows. Unwritten pages take no memory.
    if memory.count + bytes.count > 1 << 20 { memory.reserveCapacity(Self.largestText) }
    memory.append(contentsOf: bytes)
  }

  private mutating func moveToFile() throws(LupineError) {
    let file = try store.begin()
    let result = memory.withUnsafeBytes { bytes in Result { () throws(LupineError) in try file.append(bytes) } }
    try result.get()
    memory = []
    self.file = file
  }

  /// Returns the body after its last byte; it blocks while a file is written.
  mutating func finish() throws(LupineError) -> CollectedBody {
    if file == nil, !check.isCompleteText, memory.count > BodyStore.inlineBinary { try moveToFile() }
    if let file { return .file(file) }
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
