import LupineCore
import LupineFixtures
import Testing

@testable import LupineReachability

@Suite struct ResolverFileTests {
  @Test func `name servers are read in their order`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      # nameserver 192.0.2.9
      search example.com
      nameserver 192.0.2.53
      nameserver\t2001:db8::53
      nameserver fe80::1%eth0 # the router
      nameserver nonsense
      nameserver
      """, to: "resolv.conf")
    let servers = ResolverFile(path: "\(folder.path)/resolv.conf").servers()
    #expect(servers.map(\.description) == ["192.0.2.53", "2001:db8::53", "fe80::1"])
  }

  @Test func `without a file there are no servers`() { #expect(ResolverFile(path: "/nowhere").servers().isEmpty) }
}
