import HTTPTypes
import LupineCore
import LupineSupport

/// Caches lines and heads that arrive repeatedly, so that they are not validated and decoded again.
///
/// A cached line has the same result as one that is read, so a cache changes only the speed. Readers may share a cache,
/// and one cache for each thread that reads responses is enough. It stores no line of a field whose value may be a
/// secret, such as `Set-Cookie`, no line or head that a strict reader refuses, and no head with such a line.
public final class HeadCache {
  private static let slots = 256
  /// The length in bytes up to which a line is cached.
  private static let maximumLength = 128
  private let names = FieldNameCache()
  private var lines = [FieldLine?](repeating: nil, count: slots)
  /// The hashes of the last two lines of each slot that are not cached.
  ///
  /// A line is cached when it arrives for the second time: an identifier or a date may never arrive again.
  private var seen = [SIMD2<UInt64>](repeating: .zero, count: slots)
  private var status: StatusLine?
  private(set) var template = HeadTemplate()
  /// The last head that arrived twice in a row.
  private(set) var head: CachedHead?

  /// Creates an empty cache.
  public init() {}

  /// Returns the field of a line; `nil` if the line has no colon.
  ///
  /// - Parameter takesControlBytes: see `FieldLine`.
  func field(_ line: UnsafeRawBufferPointer, takesControlBytes: Bool) throws(LupineError) -> FieldLine? {
    let hash = Self.hash(line)
    let slot = Int(hash >> 56)
    if let cached = lines[slot], cached.bytes.isEqual(to: line) { return cached }
    let isRepeated = seen[slot].x == hash || seen[slot].y == hash
    guard let field = try FieldLine(line, names, isKept: isRepeated, takesControlBytes: takesControlBytes) else {
      return nil
    }
    if isRepeated {
      if field.isCached, line.count <= Self.maximumLength { lines[slot] = field }
    } else if field.isCacheable {
      seen[slot] = SIMD2(hash, seen[slot].x)
    }
    return field
  }

  func statusLine(_ line: UnsafeRawBufferPointer) throws(LupineError) -> StatusLine {
    if let status, status.bytes.isEqual(to: line) { return status }
    let made = try StatusLine(line)
    if line.count <= Self.maximumLength { status = made }
    return made
  }

  /// Records a final head, and caches it as a whole if it equals its template.
  ///
  /// - Parameters:
  ///   - template: what the head was compared with; it is taken, so that it is changed in place.
  ///   - changes: the lines that differ from the template.
  func record(_ head: ReceivedHead, count: Int, _ template: inout HeadTemplate, _ changes: [FieldChange]) {
    var taken = HeadTemplate()
    swap(&taken, &template)
    if changes.isEmpty, count == taken.lines.count {
      self.head = CachedHead(head, taken.lines.compactMap(\.self))
    } else if count != taken.lines.count || changes.contains(where: \.line.isCached) {
      self.template = HeadTemplate()
      taken.update(count: count, changes)
      self.template = taken
    }
  }

  /// Returns a hash of a line.
  private static func hash(_ line: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(line.count)
    var position = 0
    while position + 8 <= line.count {
      hash = mixed(hash, line.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position += 8
    }
    for byte in line[position...] { hash = mixed(hash, UInt64(byte)) }
    return hash
  }

  private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    return mixed ^ (mixed >> 32)
  }
}

/// A head that arrived twice in a row, and whose bytes the following heads are compared with.
///
/// The head has been accepted, so an equal head is not parsed again.
final class CachedHead {
  let head: ReceivedHead
  let fields: [FieldLine]
  /// All lines in their order, with their line ends; the last line is empty.
  let bytes: [UInt8]

  init(_ head: ReceivedHead, _ fields: [FieldLine]) {
    self.head = head
    self.fields = fields
    let lines = [head.statusLine.bytes] + fields.map(\.bytes) + [[]]
    bytes = lines.flatMap { $0 + [0x0D, 0x0A] }
  }

  /// Whether the bytes at an offset equal this line, including its line end.
  ///
  /// The offset must be the start of a line. Only a line end contains a line feed.
  func contains(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    line.last == 0x0A && bytes.contains(line, at: start)
  }

  /// Returns the fields of the lines before an offset, which is the start of a line behind the status line.
  func fields(before end: Int) -> ArraySlice<FieldLine> {
    var position = head.statusLine.bytes.count + 2
    var count = 0
    while position < end, count < fields.count {
      position += fields[count].bytes.count + 2
      count += 1
    }
    return fields[..<count]
  }
}
