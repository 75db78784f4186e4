import HTTPTypes
import LupineFoundation
import LupineSupport

/// Writes one line of a cassette: a JSON object whose members stand in the order of the calls.
struct LineBuilder {
  private var text: [UInt8] = [UInt8(ascii: "{")]

  /// The finished object without white space.
  var object: [UInt8] { text + [UInt8(ascii: "}")] }

  /// The finished line with its continuation lines and the line break at its end.
  var line: [UInt8] { LineLayout.broken(object) + [UInt8(ascii: "\n")] }

  /// Begins a member; its value follows.
  private mutating func begin(_ name: String) {
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    JSONString.write(name, to: &text)
    text.append(.colon)
  }

  mutating func add(_ name: String, _ value: String) {
    begin(name)
    JSONString.write(value, to: &text)
  }

  mutating func add(_ name: String, _ value: some BinaryInteger) { add(name, json: Array("\(value)".utf8)) }

  mutating func add(_ name: String, _ value: Duration) { add(name, json: Array(Seconds.text(value).utf8)) }

  mutating func add(_ name: String, flag: Bool) { if flag { add(name, json: Array("true".utf8)) } }

  /// Adds a value that is a JSON text without white space.
  mutating func add(_ name: String, json: [UInt8]) {
    begin(name)
    text += json
  }

  mutating func add(_ name: String, _ values: [String]) {
    add(name, values) { JSONString.write($0, to: &$1) }
  }

  /// Adds an array; the closure writes an element.
  mutating func add<Value>(_ name: String, _ values: some Sequence<Value>, _ write: (Value, inout [UInt8]) -> Void) {
    begin(name)
    text.append(.openBracket)
    var isFirst = true
    for value in values {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      isFirst = false
      write(value, &text)
    }
    text.append(.closeBracket)
  }

  /// Adds fields: each as its line, or if its value is not UTF-8, as its name and the value in base64.
  mutating func add(_ name: String, _ fields: HTTPFields) {
    add(name, fields) { field, text in
      let bytes = field.withUnsafeBytesOfValue { Array($0) }
      if let value = String(validating: bytes, as: UTF8.self) {
        JSONString.write("\(field.name.rawName): \(value)", to: &text)
      } else {
        var own = LineBuilder()
        own.add("field", field.name.rawName)
        own.add("base64", Data(bytes).base64EncodedString())
        text += own.object
      }
    }
  }
}

/// Times in a cassette: seconds with at most six decimals.
enum Seconds {
  /// The largest number of seconds, some thirty thousand years.
  private static let largest: Int64 = 999_999_999_999

  /// Writes a duration, rounded down to microseconds; a negative one as 0.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = max(.zero, duration).components
    guard seconds <= largest else { return "\(largest)" }
    let fraction = String(1_000_000 + attoseconds / 1_000_000_000_000).dropFirst()
    let digits = fraction.reversed().drop { $0 == "0" }.reversed()
    return digits.isEmpty ? "\(seconds)" : "\(seconds)." + String(digits)
  }

  /// The seconds of a duration in the range of a cassette.
  static func value(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = min(max(.zero, duration), .seconds(largest)).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Reads a duration; `nil` if the number has an exponent, a sign, too many digits or decimals.
  static func duration(_ text: String) -> Duration? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, let seconds = number(whole), seconds <= largest else { return nil }
    guard parts.count == 2 else { return .seconds(seconds) }
    guard parts[1].utf8.count <= 6, let fraction = number(parts[1]) else { return nil }
    let scale = (parts[1].utf8.count..<6).reduce(Int64(1)) { scale, _ in scale * 10 }
    return .seconds(seconds) + .microseconds(fraction * scale)
  }

  private static func number(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int64(digits)
  }
}
