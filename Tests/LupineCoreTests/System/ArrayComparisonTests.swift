import LupineSupport
import Testing

@Suite struct ArrayComparisonTests {
  @Test func `an empty buffer is contained, also without an address`() {
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    let bytes: [UInt8] = [1, 2]
    #expect(bytes.contains(empty, at: 0))
    #expect(bytes.contains(empty, at: 2))
    #expect(!bytes.contains(empty, at: 3))
    #expect([UInt8]().isEqual(to: empty))
    #expect(!bytes.isEqual(to: empty))
  }
}
