import LupineFoundation
import LupineSupport

/// The text in the place of a secret.
///
/// It has letters, digits and a hyphen, so that it is legal in fields, URLs, cookies, JSON and forms.
enum Placeholder {
  static let prefix = Array("REDACTED-".utf8)
  /// The number of the placeholder of a live secret, whose value no recording knows.
  static let anyNumber = 0
  /// A secret number becomes the sum of this one and the placeholder's number.
  static let numberBase = 9_000_000
  static let maximumNumber = 999_999
  /// The largest number whose sum with `numberBase` is recognized: other numbers with seven digits are values.
  private static let maximumNumberInJSON = 9_999

  static func text(_ number: Int) -> [UInt8] { prefix + Array(String(number).utf8) }

  static func numberText(_ number: Int) -> [UInt8] { Array(String(numberBase + number).utf8) }

  /// The number of a text that is a placeholder and nothing else.
  static func number(of text: [UInt8]) -> Int? {
    guard let (number, end) = read(text[...], at: 0), end == text.count else { return nil }
    return number
  }

  /// The number of a JSON number that is a placeholder.
  static func number(ofNumber text: [UInt8]) -> Int? {
    guard text.count == 7, text[0] == UInt8(ascii: "9"), text.allSatisfy(\.isDigit),
      let number = Int(String(decoding: text, as: UTF8.self)), number - numberBase <= maximumNumberInJSON
    else { return nil }
    return number - numberBase
  }

  /// Reads the placeholder that begins at a position; returns its number and its end.
  static func read(_ text: ArraySlice<UInt8>, at position: Int) -> (number: Int, end: Int)? {
    guard text[position...].starts(with: prefix) else { return nil }
    var (end, number) = (position + prefix.count, 0)
    while end < text.endIndex, text[end].isDigit, number <= maximumNumber {
      number = number * 10 + Int(text[end] - 0x30)
      end += 1
    }
    return end > position + prefix.count && number <= maximumNumber ? (number, end) : nil
  }
}

extension Placeholder {
  /// Whether the texts are equal but for placeholders: in the place of one, the live text may have any secret or the same
  /// placeholder.
  static func matches(recorded: [UInt8], live: [UInt8]) -> Bool {
    var (place, livePlace) = (0, 0)
    while place < recorded.count, livePlace < live.count {
      let letter = recorded[place]
      if letter == prefix[0], let (number, end) = read(recorded[...], at: place),
        let (liveNumber, liveEnd) = read(live[...], at: livePlace)
      {
        guard liveNumber == anyNumber || liveNumber == number else { return false }
        (place, livePlace) = (end, liveEnd)
      } else {
        guard letter == live[livePlace] else { return false }
        place += 1
        livePlace += 1
      }
    }
    return place == recorded.count && livePlace == live.count
  }
}
