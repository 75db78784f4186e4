import FoundationEssentials
import Testing

@testable import LupineCore
@testable import LupineSupport

@Suite struct CalendarDateTests {
  @Test func `every day of four centuries follows the one before it`() {
    var found: [TimeInterval] = []
    for year in 1601...2000 {
      for month in 1...12 {
        found += (0...32).compactMap { Self.day(year, month, $0)?.timeIntervalSince1970 }
      }
    }
    let isComplete = found.elementsEqual(stride(from: -11_644_473_600, to: 978_307_200, by: 86_400))
    #expect(isComplete)
  }

  @Test(arguments: [(24, 0, 0), (0, 60, 0), (0, 0, 61), (-1, 0, 0), (0, -1, 0), (0, 0, -1)])
  func `an impossible time is no date`(hour: Int, minute: Int, second: Int) {
    #expect(CalendarDate.date(year: 2026, month: 1, day: 1, hour: hour, minute: minute, second: second) == nil)
  }

  @Test(arguments: [0, 13, -1]) func `an impossible month is no date`(month: Int) {
    #expect(Self.day(2026, month, 1) == nil)
  }

  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Date? {
    CalendarDate.date(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
  }
}
