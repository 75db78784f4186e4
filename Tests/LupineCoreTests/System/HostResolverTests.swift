import LupineCore
import Testing

@Suite struct HostResolverTests {
  @Test(arguments: ["127.0.0.1", "::1"])
  func `each address is returned once`(address: String) throws {
    #expect(HostResolver.system.resolve(address) == .addresses([try #require(IPAddress(address))]))
  }

  @Test func `the error has the resolver's own text`() {
    guard case .failure(let reason) = HostResolver.system.resolve("nowhere.invalid") else {
      Issue.record("it has an address")
      return
    }
    #expect(!reason.isEmpty)
  }
}
