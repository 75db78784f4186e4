import LupineCore
import LupineFoundation

/// The containers of a binary property list and their references, walked without recursion.
struct BinaryPropertyListGraph {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let top: Int
  private let table: Int
  private var visits: [Int: Visit] = [:]
  private var walked = 0

  /// The results for one object.
  private struct Visit {
    var isOpen = true
    /// The levels of containers below and including this object.
    var height = 0
    /// The number of values that are decoded for this object; shared values are counted each time.
    var size = 1
  }

  /// A container on the current path, or a scalar, which has no references.
  private struct Frame {
    let object: Int
    var firstReference = 0
    var count = 0
    var next = 0
  }

  init(_ data: Data) throws(LupineError) {
    bytes = Array(data)
    guard bytes.count >= 40 else { throw Self.malformed("it is too short") }
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw Self.malformed("its trailer") }
    objectCount = try Self.number(bytes, at: trailer + 8, size: 8)
    top = try Self.number(bytes, at: trailer + 16, size: 8)
    table = try Self.number(bytes, at: trailer + 24, size: 8)
    guard objectCount <= trailer, table <= trailer, objectCount * offsetSize <= trailer - table else {
      throw Self.malformed("its offset table")
    }
  }

  /// Checks the graph for cycles, depth and size.
  ///
  /// Throws if a container contains itself, if the nesting is too deep, or if shared objects expand to far more values
  /// than the list has bytes.
  mutating func check() throws(LupineError) {
    var stack = [try open(top)]
    while var frame = stack.popLast() {
      guard frame.next < frame.count else {
        visits[frame.object]?.isOpen = false
        continue
      }
      let child = try number(at: frame.firstReference + frame.next * referenceSize, size: referenceSize)
      if let visit = visits[child] {
        guard !visit.isOpen else { throw Self.malformed("a container contains itself") }
        try add(visit, to: frame.object)
        frame.next += 1
        stack.append(frame)
      } else {
        stack.append(frame)
        guard stack.count <= NestingDepth.limit else { throw NestingDepth.exceeded }
        stack.append(try open(child))
      }
    }
  }

  private mutating func add(_ child: Visit, to object: Int) throws(LupineError) {
    guard var visit = visits[object] else { return }
    visit.height = max(visit.height, child.height + 1)
    visit.size += child.size
    walked += 1
    visits[object] = visit
    guard visit.height <= NestingDepth.limit else { throw NestingDepth.exceeded }
    // Lists that programs write do not share containers, so each value has its own reference there.
    guard max(visit.size, walked) <= 10_000 + 4 * bytes.count else {
      throw Self.malformed("its shared objects expand to too many values")
    }
  }

  private mutating func open(_ object: Int) throws(LupineError) -> Frame {
    guard object < objectCount else { throw Self.malformed("a reference to no object") }
    let offset = try number(at: table + object * offsetSize, size: offsetSize)
    guard offset < table else { throw Self.malformed("an offset beyond the objects") }
    let kind = bytes[offset] >> 4
    let isContainer = (0xA...0xD).contains(kind)
    visits[object] = Visit(height: isContainer ? 1 : 0)
    guard isContainer else { return Frame(object: object) }
    let (count, first) = try length(at: offset)
    let factor = kind == 0xD ? 2 : 1
    guard count <= bytes.count, first <= table, count * factor <= (table - first) / referenceSize else {
      throw Self.malformed("a container longer than the list")
    }
    return Frame(object: object, firstReference: first, count: count * factor)
  }

  /// Returns a container's count, and the offset of its references.
  private func length(at offset: Int) throws(LupineError) -> (count: Int, first: Int) {
    let short = Int(bytes[offset] & 0xF)
    guard short == 0xF else { return (short, offset + 1) }
    guard bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 0xF <= 3 else {
      throw Self.malformed("a container's length")
    }
    let size = 1 << Int(bytes[offset + 1] & 0xF)
    return (try number(at: offset + 2, size: size), offset + 2 + size)
  }

  private func number(at offset: Int, size: Int) throws(LupineError) -> Int {
    try Self.number(bytes, at: offset, size: size)
  }

  private static func number(_ bytes: [UInt8], at offset: Int, size: Int) throws(LupineError) -> Int {
    guard offset >= 0, offset <= bytes.count - size else { throw malformed("a number beyond its end") }
    let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let number = Int(exactly: value) else { throw malformed("a number too large") }
    return number
  }

  private static func malformed(_ part: String) -> LupineError {
    LupineError(.serializationFailed, "The binary property list is malformed: \(part).")
  }
}
