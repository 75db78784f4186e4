import LupineCore
import LupineSession
import Testing

@Suite struct ContentRangeTests {
  @Test(
    arguments: [
      ("bytes 0-4/10", 0..<5, 10), ("Bytes 5-9/*", 5..<10, nil), ("bytes  0-0/1", 0..<1, 1),
    ] as [(String, Range<Int64>, Int64?)])
  func `a content range is read`(text: String, range: Range<Int64>, total: Int64?) throws {
    let found = try #require(ContentRange(text))
    #expect(found.range == range)
    #expect(found.total == total)
  }

  @Test(arguments: [
    "", "bytes", "bytes 5-4/10", "bytes 0-10/10", "bytes */10", "items 0-4/10", "bytes -1-4/10",
    "bytes 0-9223372036854775807/*",
    "bytes 0-4", "bytes 0-4/10/2", "bytes +0-4/10", "bytes 0-99999999999999999999/*",
  ]) func `an inconsistent content range is invalid`(text: String) {
    #expect(ContentRange(text) == nil)
  }
}
