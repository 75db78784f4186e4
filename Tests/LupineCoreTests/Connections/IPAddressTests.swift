import LupineCore
import Testing

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
    ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
  ])
  func `an address is read and written`(text: String, canonical: String) {
    #expect(IPAddress(text)?.description == canonical)
  }

  @Test(arguments: ["", "192.0.2", "192.0.2.256", "[::1]", "fe80::1%eth0", "example.com", "1:2:3:4:5:6:7:8:9"])
  func `an invalid address is refused`(text: String) { #expect(IPAddress(text) == nil) }

  @Test(arguments: [0, 3, 5, 15, 17]) func `another number of bytes is no address`(count: Int) {
    #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }
}
