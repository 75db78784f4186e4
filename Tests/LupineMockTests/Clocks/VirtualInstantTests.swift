import LupineMock
import Testing

@Suite struct VirtualInstantTests {
  @Test func `instants are added to and subtracted from as those of the system's clocks are`() {
    let start = VirtualInstant(offset: .seconds(2))
    let end = start + .seconds(3)
    #expect(end.offset == .seconds(5))
    #expect(end - start == .seconds(3))
    #expect(start - end == .seconds(-3))
    #expect(end - .seconds(3) == start)
    #expect(ImmediateClock().now - VirtualInstant() == .zero)
  }
}
