/// Reads JSON in UTF-8 once, from its start to its end or to the first syntax error.
struct JSONScanner {
  /// An array or an object that is not closed yet.
  private struct Container {
    let isObject: Bool
    /// The number of elements of an array that have ended.
    var index = 0
    /// The position at which each member of an object begins, in order.
    var starts: [Int] = []
    var names = MemberNames()
    var name: String?
  }

  /// The members that a later one replaces, each with the comma after it.
  private(set) var removals: [Range<Int>] = []
  private var containers: [Container] = []
  /// Whether the next token is a member's name.
  private var expectsName = false
  private var isAfterComma = false

  mutating func scan(_ text: UnsafeRawBufferPointer) throws {
    var position = 0
    while position < text.count {
      let byte = text[position]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        position += 1
        continue
      case UInt8(ascii: "\""):
        guard let end = Self.endOfString(text, from: position + 1) else { return }
        if expectsName { take(name(text, position + 1..<end), at: position) }
        position = end
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        // The decoder refuses deeper values itself.
        guard containers.count < NestingDepth.limit else { return }
        open(isObject: byte == UInt8(ascii: "{"))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard containers.last?.isObject == (byte == UInt8(ascii: "}")) else { return }
        if isAfterComma { throw trailingComma(at: position, before: byte) }
        close()
      case UInt8(ascii: ","):
        guard let last = containers.indices.last else { return }
        containers[last].index += 1
        expectsName = containers[last].isObject
      case UInt8(ascii: ":"): expectsName = false
      default: break
      }
      isAfterComma = byte == UInt8(ascii: ",")
      position += 1
    }
  }

  private mutating func open(isObject: Bool) {
    containers.append(Container(isObject: isObject))
    expectsName = isObject
  }

  private mutating func close() {
    containers.removeLast()
    expectsName = false
  }

  private mutating func take(_ name: String, at start: Int) {
    guard let last = containers.indices.last else { return }
    let place = containers[last].starts.count
    containers[last].starts.append(start)
    containers[last].name = name
    guard let earlier = containers[last].names.add(name, at: place) else { return }
    removals.append(containers[last].starts[earlier]..<containers[last].starts[earlier + 1])
  }

  /// Returns the position of the quotation mark that ends a string; `nil` if there is none.
  private static func endOfString(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var position = start
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""): return position
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    return nil
  }

  /// Returns a name with its escapes decoded.
  private func name(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: text[range])
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    return JSONEscapes.undone(in: bytes)
  }

  private func trailingComma(at position: Int, before byte: UInt8) -> TrailingComma {
    let path = containers.dropLast().map { container -> any CodingKey in
      container.isObject ? PlainCodingKey(stringValue: container.name ?? "") : PlainCodingKey(intValue: container.index)
    }
    return TrailingComma(
      error: .dataCorrupted(
        DecodingError.Context(
          codingPath: path,
          debugDescription:
            "JSON allows no comma before the closing `\(Character(UnicodeScalar(byte)))`, byte \(position) of the text")
      ))
  }
}

/// A comma before a closing bracket, which Foundation's decoder accepts.
struct TrailingComma: Error {
  /// The error in the form of the decoder's own ones.
  let error: DecodingError
}

/// The names of an object's members, with the index of the last member of each name.
private struct MemberNames {
  /// A search of so few names takes less time than the hash of one.
  private static let searchedCount = 8

  private var first: [String] = []
  private var places: [String: Int] = [:]

  /// Adds the name of the member with the next index; returns the index of the last earlier one of this name.
  mutating func add(_ name: String, at index: Int) -> Int? {
    guard index >= Self.searchedCount else {
      defer { first.append(name) }
      return first.lastIndex(of: name)
    }
    if index == Self.searchedCount {
      for (place, name) in first.enumerated() { places[name] = place }
    }
    return places.updateValue(index, forKey: name)
  }
}
