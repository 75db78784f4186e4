import FoundationEssentials
import Testing

@testable import LupineCore
@testable import LupineSupport

@Suite struct HTTPDateTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Tuesday, 01-Jan-30 00:00:00 GMT", 1_893_456_000), ("Monday, 01-Jan-90 00:00:00 GMT", 631_152_000),
  ])
  func `each of the three forms is read`(text: String, seconds: Int) {
    #expect(HTTPDate.parse(text, now: Self.now) == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test(
    arguments: [
      (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
      (951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
      (1_798_761_600, "Fri, 01 Jan 2027 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (253_402_300_800, nil), (-62_135_596_801, nil),
      (.infinity, nil), (.nan, nil),
    ] as [(Double, String?)])
  func `a date is written in the first form`(seconds: Double, text: String?) {
    #expect(HTTPDate.text(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func `days of four centuries are read as they are written`() {
    let days = stride(from: -135_140.0, to: 10_957, by: 11).map { Date(timeIntervalSince1970: $0 * 86_400 + 43_199) }
    let wrong = days.filter { date in HTTPDate.text(date).flatMap { HTTPDate.parse($0, now: Self.now) } != date }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [
    "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Oct 1994 08:49:37 GMT",
    "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Nuv 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 19944 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 99),
  ])
  func `an invalid date is no date`(text: String) {
    #expect(HTTPDate.parse(text, now: Self.now) == nil)
  }
}
