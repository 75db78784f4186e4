public import LupineFoundation

/// Reads and writes the dates of HTTP fields, in all three formats (RFC 9110 section 5.6.7).
public enum HTTPDate {
  /// Returns the date of the text; `nil` if the text is no HTTP date.
  ///
  /// - Parameter now: decides the century of a two-digit year: such a date is never more than 50 years in the future.
  public static func parse(_ text: String, now: Date) -> Date? {
    if let date = parsePreferred(text) { return date }
    guard text.utf8.count <= 48 else { return nil }
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
    case 6 where words[5] == "GMT":
      guard let year = year(words[3], now: now) else { return nil }
      return date(day: words[1], month: words[2], year: year, time: words[4])
    // Sun Nov  6 08:49:37 1994
    case 5:
      guard words[4].utf8.count == 4, let year = number(words[4]) else { return nil }
      return date(day: words[2], month: words[1], year: year, time: words[3])
    default: return nil
    }
  }

  /// Returns the date of a text in the preferred format alone, such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for any
  /// other text.
  ///
  /// Nearly all dates have this format. The name of the day is not compared with the date.
  public static func parsePreferred(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count == 29, matches(bytes, "aaa, 00 aaa 0000 00:00:00 GMT") else { return nil }
      func number(_ start: Int, _ count: Int) -> Int {
        bytes[start..<start + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
      }
      let month = CalendarDate.months.firstIndex { $0.utf8.elementsEqual(bytes[8..<11]) }
      guard let month else { return nil }
      return CalendarDate.date(
        year: number(12, 4), month: month + 1, day: number(5, 2), hour: number(17, 2), minute: number(20, 2),
        second: number(23, 2))
    }
  }

  /// Whether bytes have the form of a pattern of the same length: `a` is a letter, `0` a digit.
  private static func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ pattern: StaticString) -> Bool {
    bytes.indices.allSatisfy { index in
      switch pattern.utf8Start[index] {
      case UInt8(ascii: "a"): (0x41...0x5A).contains(bytes[index] & ~0x20)
      case UInt8(ascii: "0"): (0x30...0x39).contains(bytes[index])
      case let other: bytes[index] == other
      }
    }
  }

  /// Returns the date in the preferred format, such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` if its year does not have
  /// four digits.
  public static func text(_ date: Date) -> String? {
    guard let components = CalendarDate.components(of: date) else { return nil }
    let year = String(String(10_000 + components.year).dropFirst())
    let time = [components.hour, components.minute, components.second].map(twoDigits).joined(separator: ":")
    let month = CalendarDate.months[components.month - 1]
    return "\(weekdays[components.weekday]), \(twoDigits(components.day)) \(month) \(year) \(time) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func year(_ text: Substring, now: Date) -> Int? {
    guard let number = number(text) else { return nil }
    if text.utf8.count == 4 { return number }
    guard text.utf8.count == 2 else { return nil }
    // Bounded to the years 0 to 9999, because an HTTP date has no other year.
    let years = (now.timeIntervalSince1970 / 31_556_952).rounded(.down)
    let current = 1970 + min(max(Int(saturating: years), -1_970), 8_029)
    let candidate = current - current % 100 + number
    return candidate > current + 50 ? candidate - 100 : candidate
  }

  private static func date(day: Substring, month: Substring, year: Int, time: Substring) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard let day = number(day), let month = CalendarDate.months.firstIndex(of: String(month)), clock.count == 3,
      time.utf8.count == 8,
      let hour = number(clock[0]), let minute = number(clock[1]), let second = number(clock[2])
    else { return nil }
    return CalendarDate.date(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
  }
}

/// The Gregorian calendar in UTC, for dates in fields.
public enum CalendarDate {
  /// The names of the months, as in HTTP dates.
  public static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the date of a day and a time; `nil` if it does not exist.
  ///
  /// A leap second becomes the first second of the next minute.
  ///
  /// - Parameter month: the month, from 1.
  public static func date(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Date? {
    guard (1...12).contains(month), (1...length(ofMonth: month, year)).contains(day), (0..<24).contains(hour),
      (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// Returns the day and the time of a date: the month from 1, the weekday from 0 for Sunday, without fractions of a
  /// second.
  ///
  /// Returns `nil` if the year is not between 1 and 9999.
  static func components(of date: Date) -> Components? {
    let moment = date.timeIntervalSince1970
    guard (-62_135_596_800..<253_402_300_800).contains(moment) else { return nil }
    let seconds = Int(moment.rounded(.down))
    let second = (seconds % 86_400 + 86_400) % 86_400
    let day = (seconds - second) / 86_400
    // The mean length of a year gives the year, or one next to it.
    var year = 1971 + Int((Double(day) / 365.2425).rounded(.down))
    while days(year, 1, 1) > day { year -= 1 }
    var month = 12
    while days(year, month, 1) > day { month -= 1 }
    return Components(
      year: year, month: month, day: day - days(year, month, 1) + 1, weekday: ((day + 4) % 7 + 7) % 7,
      hour: second / 3_600, minute: second / 60 % 60, second: second % 60)
  }

  /// A day and a time.
  struct Components {
    let year, month, day, weekday, hour, minute, second: Int
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    days(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) - days(year, month, 1)
  }

  /// Returns the days since 1970-01-01; years are counted from March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let leapDays = year / 4 - year / 100 + year / 400
    return year * 365 + leapDays + (153 * ((month + 9) % 12) + 2) / 5 + day - 719_469
  }
}
