import LupineSupport

/// A part of a text, decoded, whose bytes know their places in the text.
struct MappedBytes {
  private let storage: [UInt8]
  /// The place of each byte of the storage and of its end; `nil` if the storage is the text itself.
  private let places: [Int]?
  /// The range of this part in the storage.
  let range: Range<Int>

  /// The whole of a text.
  init(_ text: [UInt8]) { self.init(text, nil, 0..<text.count) }

  init(_ text: String) { self.init(Array(text.utf8)) }

  /// A decoded text.
  ///
  /// - Parameter places: the place of each byte, and of the end.
  init(_ decoded: [UInt8], places: [Int]) { self.init(decoded, places, 0..<decoded.count) }

  private init(_ storage: [UInt8], _ places: [Int]?, _ range: Range<Int>) {
    self.storage = storage
    self.places = places
    self.range = range
  }

  var start: Int { range.lowerBound }
  var end: Int { range.upperBound }
  var isEmpty: Bool { range.isEmpty }
  var bytes: ArraySlice<UInt8> { storage[range] }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  subscript(_ position: Int) -> UInt8 { storage[position] }

  /// A part of this part.
  func part(_ part: Range<Int>) -> MappedBytes { MappedBytes(storage, places, part) }

  /// The place in the text of this part.
  var place: Range<Int> {
    guard let places else { return range }
    return places[range.lowerBound]..<max(places[range.lowerBound], places[range.upperBound])
  }

  /// The part without blanks and line ends at its ends.
  var trimmed: MappedBytes {
    var (first, last) = (start, end)
    while first < last, storage[first].isJSONSpace { first += 1 }
    while last > first, storage[last - 1].isJSONSpace { last -= 1 }
    return part(first..<last)
  }

  /// Whether a byte occurs.
  func contains(_ byte: UInt8) -> Bool {
    storage.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[range]).position(of: byte, from: 0) != nil }
  }

  /// The parts between the separators.
  func split(_ separator: UInt8) -> [MappedBytes] {
    bytes.split(separator: separator, omittingEmptySubsequences: false).map { part($0.startIndex..<$0.endIndex) }
  }

  /// The parts before and after the first separator; `nil` without one.
  func cut(at separator: UInt8) -> (before: MappedBytes, after: MappedBytes)? {
    bytes.firstIndex(of: separator).map { (part(start..<$0), part(($0 + 1)..<end)) }
  }
}

/// Decoding.
extension MappedBytes {
  /// The bytes without percent-coding, in which `+` is a space; an invalid escape stays.
  var formDecoded: MappedBytes {
    guard contains(.percent) || contains(UInt8(ascii: "+")) else { return self }
    return decoded { position in
      guard self[position] == .percent, position + 3 <= end, let high = Hexadecimal.value(of: self[position + 1]),
        let low = Hexadecimal.value(of: self[position + 2])
      else { return ([self[position] == UInt8(ascii: "+") ? .space : self[position]], 1) }
      return ([high << 4 | low], 3)
    }
  }

  /// The content of a JSON string without its escapes; an invalid escape stays.
  var unescaped: MappedBytes {
    guard contains(.backslash) else { return self }
    return decoded { position in
      guard self[position] == .backslash, position + 1 < end else { return ([self[position]], 1) }
      guard self[position + 1] == UInt8(ascii: "u") else {
        return ([JSONEscape.plain(self[position + 1])], 2)
      }
      return JSONEscape.character(bytes[position...]) ?? ([self[position]], 1)
    }
  }

  /// - Parameter unit: returns the bytes that the text at a position stands for, and the length of that text.
  private func decoded(_ unit: (Int) -> (bytes: [UInt8], count: Int)) -> MappedBytes {
    var (output, places): ([UInt8], [Int]) = ([], [])
    var position = start
    while position < end {
      let (bytes, count) = unit(position)
      let place = part(position..<position).place.lowerBound
      output += bytes
      places.append(contentsOf: repeatElement(place, count: bytes.count))
      position += count
    }
    places.append(place.upperBound)
    return MappedBytes(output, places: places)
  }
}
