import FoundationEssentials

/// Reads the dates of `Expires`, which servers write in every way (RFC 6265bis section 5.1.1).
enum CookieDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  private static let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

  private struct Parts {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?

    mutating func take(_ token: ArraySlice<UInt8>) {
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
    for token in Array(text.utf8).split(whereSeparator: isDelimiter) { parts.take(token) }
    guard let time = parts.time, let day = parts.day, let month = parts.month, var year = parts.year else { return nil }
    if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, (1...length(of: month, year)).contains(day), time.hour < 24, time.minute < 60, time.second < 60
    else { return nil }
    let seconds = time.hour * 3600 + time.minute * 60 + time.second
    return Date(timeIntervalSince1970: Double(days(year, month, day) * 86_400 + seconds))
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func length(of month: Int, _ year: Int) -> Int {
    let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return lengths[month - 1]
  }

  /// Days since 1 January 1970.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400 - 477
    let leapDay = month > 2 && isLeap(year) ? 1 : 0
    return (year - 1970) * 365 + leapDays + daysBefore[month - 1] + leapDay + day - 1
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The number at the front of a token, where it has so many digits.
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

  private static func month(_ token: ArraySlice<UInt8>) -> Int? {
    let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
    return months.firstIndex(of: name).map { $0 + 1 }
  }
}
