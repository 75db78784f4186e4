import LupineCore
import Testing

@Suite struct AddressBlockTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
    ("192.168.1.7", "192.168.1.7", true), ("192.168.1.7", "192.168.1.6", false), ("0.0.0.0/0", "8.8.8.8", true),
    ("10.0.0.0/9", "10.127.255.255", true), ("10.0.0.0/9", "10.128.0.0", false), ("fc00::/7", "fdff::1", true),
    ("fc00::/7", "fe00::1", false), ("::1", "::1", true), ("0.0.0.0/0", "::1", false), ("::/0", "10.0.0.1", false),
    ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.0.0.0/104", "10.1.1.1", true),
  ])
  func `a block contains what begins with its bits`(block: String, address: String, isIn: Bool) throws {
    #expect(try #require(AddressBlock(block)).contains(try #require(IPAddress(address))) == isIn)
  }

  @Test(arguments: [
    "", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "10/8", "a/8", "10.0.0.0/+8",
  ])
  func `an invalid block is refused`(text: String) { #expect(AddressBlock(text) == nil) }
}
