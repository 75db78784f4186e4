import HTTPTypes
import LupineFoundation
import LupineSupport

/// Numbers the placeholders of exchanges anew, in the order of their appearance.
///
/// While exchanges run, placeholders get numbers in the order in which exchanges end. In the file the order of first
/// sending counts, so that the same exchanges have the same placeholders each time.
struct PlaceholderNumbering {
  private var numbers: [Int: Int] = [:]
  private var last = 0
  /// The numbers of the placeholders that are numbers of JSON; other numbers of JSON are values.
  private let numeric: Set<Int>

  init(numeric: Set<Int>) { self.numeric = numeric }

  /// Numbers the placeholders of the next exchange.
  ///
  /// - Parameter file: returns the body of a file with new numbers, by calling `bytes` for its content.
  mutating func renumber<Failure>(
    _ entry: inout Cassette.Entry, file: (Cassette.FileContent, (Data) -> Data) throws(Failure) -> Cassette.FileContent
  ) throws(Failure) {
    entry.request.url = text(entry.request.url)
    fields(&entry.request.fields)
    try content(&entry.request.body, file)
    for index in entry.interim.indices { fields(&entry.interim[index].head.headerFields) }
    if var response = entry.response {
      fields(&response.head.headerFields)
      if case .inline(let data) = response.body {
        let bytes = [UInt8](data)
        let changed = edited(bytes)
        response.body = .inline(Data(changed.bytes))
        let counts = changed.counts(response.chunks.map(\.count))
        for (index, count) in counts.enumerated() { response.chunks[index].count = count }
      } else {
        try content(&response.body, file)
      }
      entry.response = response
    }
    switch entry.end {
    case .complete(trailers: var trailers?):
      fields(&trailers)
      entry.end = .complete(trailers: trailers)
    case .failed(var failure):
      failure.message = text(failure.message)
      entry.end = .failed(failure)
    case .complete(nil), .stalled: break
    }
  }

  private mutating func content<Failure>(
    _ content: inout Cassette.Content,
    _ file: (Cassette.FileContent, (Data) -> Data) throws(Failure) -> Cassette.FileContent
  ) throws(Failure) {
    switch content {
    case .none, .digest: break
    case .inline(let data): content = .inline(bytes(data))
    case .file(let body):
      var numbering = self
      content = .file(try file(body) { numbering.bytes($0) })
      self = numbering
    }
  }

  private mutating func fields(_ fields: inout HTTPFields) {
    fields = HTTPFields(
      fields.map { field in
        let changed = edited(field.withUnsafeBytesOfValue { Array($0) })
        return changed.isChanged ? HTTPField(name: field.name, lenientValue: changed.bytes) : field
      })
  }

  mutating func text(_ text: String) -> String { String(decoding: edited(Array(text.utf8)).bytes, as: UTF8.self) }

  mutating func bytes(_ data: Data) -> Data { Data(edited([UInt8](data)).bytes) }

  private mutating func edited(_ bytes: [UInt8]) -> RedactedText {
    let places = Self.placeholders(in: bytes).filter { place in
      place.number > 0 && (!place.isNumber || numeric.contains(place.number))
    }
    let changed = places.map { place in
      FoundSecret(range: place.range, value: replacement(place.number, place.isNumber), isNumber: place.isNumber)
    }
    return RedactedText(bytes, changed) { $0.value }
  }

  private mutating func replacement(_ number: Int, _ isNumber: Bool) -> [UInt8] {
    if numbers[number] == nil {
      last += 1
      numbers[number] = last
    }
    let new = numbers[number] ?? number
    return isNumber ? Placeholder.numberText(new) : Placeholder.text(new)
  }

  /// The placeholders of a text, and the numbers of JSON that are placeholders.
  private static func placeholders(in bytes: [UInt8]) -> [(range: Range<Int>, number: Int, isNumber: Bool)] {
    var found: [(range: Range<Int>, number: Int, isNumber: Bool)] = []
    var position = 0
    while position < bytes.count {
      if bytes[position] == Placeholder.prefix[0], let (number, end) = Placeholder.read(bytes[...], at: position) {
        found.append((position..<end, number, false))
        position = end
      } else if bytes[position].isDigit {
        let digits = bytes[position...].prefix(while: \.isDigit)
        if isValue(digits, in: bytes), let number = Placeholder.number(ofNumber: Array(digits)) {
          found.append((digits.startIndex..<digits.endIndex, number, true))
        }
        position = digits.endIndex
      } else {
        position += 1
      }
    }
    return found
  }

  /// Whether digits are a number of JSON by what stands before and after them.
  private static func isValue(_ digits: ArraySlice<UInt8>, in bytes: [UInt8]) -> Bool {
    guard digits.startIndex > 0, digits.endIndex < bytes.count else { return false }
    let (before, after) = (bytes[digits.startIndex - 1], bytes[digits.endIndex])
    return (before.isJSONSpace || [.colon, .openBracket, UInt8(ascii: ",")].contains(before))
      && (after.isJSONSpace || [.closeBracket, UInt8(ascii: "}"), UInt8(ascii: ",")].contains(after))
  }
}
