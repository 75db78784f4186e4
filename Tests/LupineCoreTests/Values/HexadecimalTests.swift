import Testing

@testable import LupineCore
@testable import LupineSupport

@Suite struct HexadecimalTests {
  @Test func `a byte has two digits`() {
    #expect(Hexadecimal.text([]) == "")
    #expect(Hexadecimal.text([0, 9, 10, 0x7F, 0xA0, 255]) == "00090a7fa0ff")
  }

  @Test func `a number has as many digits as are wanted`() {
    #expect(Hexadecimal.text(0x2A as UInt32, digits: 8) == "0000002a")
    #expect(Hexadecimal.text(UInt64.max, digits: 4) == "ffffffffffffffff")
  }

  @Test func `a digit of either case has its value, and no other byte has one`() {
    for byte in UInt8.min...UInt8.max {
      let digit = Character(Unicode.Scalar(byte))
      #expect(Hexadecimal.value(of: byte).map(Int.init) == (digit.isASCII ? digit.hexDigitValue : nil))
    }
  }
}
