import LupineCore
import Testing

@testable import LupineCurl

@Suite struct RequestStreamTests {
  @Test(arguments: [(UInt32?(5), UInt32(3), true), (5, 5, false), (3, 5, false), (nil, 0, false)])
  func `a request above the last stream of a GOAWAY was not processed`(
    _ number: UInt32?, _ last: UInt32, _ isUnprocessed: Bool
  ) {
    var stream = RequestStream()
    stream.number = number
    stream.record(goAwayAbove: last)
    #expect(stream.isUnprocessed == isUnprocessed)
  }

  @Test func `a later GOAWAY may exclude more streams`() {
    var stream = RequestStream()
    stream.number = 5
    #expect(stream.goAwayExcludesMore(above: .max - 1))
    stream.record(goAwayAbove: 7)
    #expect(!stream.isUnprocessed)
    #expect(!stream.goAwayExcludesMore(above: 7))
    #expect(stream.goAwayExcludesMore(above: 3))
    stream.record(goAwayAbove: 3)
    #expect(stream.isUnprocessed)
  }

  @Test func `a refused request was not processed`() {
    var stream = RequestStream()
    #expect(!stream.isUnprocessed)
    stream.recordRefusal()
    #expect(stream.isUnprocessed)
  }
}
