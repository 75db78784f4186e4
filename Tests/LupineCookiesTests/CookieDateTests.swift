import FoundationEssentials
import Testing

@testable import LupineCookies

@Suite struct CookieDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("06 nov 1994 8:49:37", 784_111_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Mon, 01 Jan 1601 00:00:00 GMT", -11_644_473_600), ("Sat, 01 Mar 2025 00:00:01 UTC", 1_740_787_201),
    ("10:00:00 1 January 69", 3_124_260_000), ("10:00:00 1 January 70", 36_000),
  ])
  func `a date in any of the ways servers write it`(text: String, seconds: Int) {
    #expect(CookieDate.parse(text)?.timeIntervalSince1970 == Double(seconds))
  }

  @Test(arguments: [
    "", "tomorrow", "Sun, 06 Nov 1994", "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "31 Apr 2020 00:00:00",
    "29 Feb 1900 00:00:00", "00 Nov 1994 08:49:37", "06 Nov 1600 08:49:37", "06 Nov 12345 08:49:37",
    "06 Nov 1994 08:49", "06 Nov 1994 123:49:37", "99 99 99 99:99:99",
  ])
  func `texts that are no dates`(text: String) {
    #expect(CookieDate.parse(text) == nil)
  }
}
