import LupineMock
import Testing

@Suite struct VirtualInstantTests {
  @Test func `virtual instants support the arithmetic of the system's instants`() {
    let start = VirtualInstant(offset: .seconds(2))
    let end = start + .seconds(3)
    #expect(end.offset == .seconds(5))
    #expect(end - start == .seconds(3))
    #expect(start - end == .seconds(-3))
    #expect(end - .seconds(3) == start)
    #expect(ImmediateClock().now - VirtualInstant() == .zero)
  }
}
