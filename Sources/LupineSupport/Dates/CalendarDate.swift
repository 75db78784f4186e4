public import FoundationEssentials

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
  public static func reading(of date: Date) -> Reading? {
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
    return Reading(
      year: year, month: month, day: day - days(year, month, 1) + 1, weekday: ((day + 4) % 7 + 7) % 7,
      hour: second / 3_600, minute: second / 60 % 60, second: second % 60)
  }

  /// A day and a time.
  public struct Reading: Sendable, Hashable {
    public let year, month, day, weekday, hour, minute, second: Int
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
