import LupineCore
import LupineFoundation
import LupineSupport

/// Parses the dates of `Expires` in the various forms that servers send (RFC 6265bis section 5.1.1).
enum CookieDate {
  private struct Parts {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?

    mutating func add(_ token: ArraySlice<UInt8>) {
      if time == nil, let found = CookieDate.time(token) {
        time = found
      } else if day == nil, let found = CookieDate.number(token, 1...2) {
        day = found
      } else if month == nil, let found = CookieDate.month(token) {
        month = found
      } else if year == nil, let found = CookieDate.number(token, 2...4) {
        year = found
      }
    }
  }

  static func parse(_ text: String) -> Date? {
    var parts = Parts()
    for token in Array(text.utf8).split(whereSeparator: isDelimiter) { parts.add(token) }
    guard let time = parts.time, let day = parts.day, let month = parts.month, var year = parts.year else { return nil }
    if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, time.second < 60 else { return nil }
    return CalendarDate.date(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Returns the number at the start of a token, if its number of digits is in the range.
  private static func number(_ token: ArraySlice<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
    let digits = token.prefix(while: isDigit)
    guard counts.contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func time(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
    let fields = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3, fields[0].allSatisfy(isDigit), fields[1].allSatisfy(isDigit),
      let hour = number(fields[0], 1...2), let minute = number(fields[1], 1...2), let second = number(fields[2], 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  /// Returns the month whose name begins the token; the comparison ignores case.
  private static func month(_ token: ArraySlice<UInt8>) -> Int? {
    let name = token.prefix(3)
    let index = CalendarDate.months.firstIndex { $0.utf8.elementsEqual(name) { $0 | 0x20 == $1 | 0x20 } }
    return index.map { $0 + 1 }
  }
}
