import LupineCore
import Testing

@Suite struct ResolverOverridesTests {
  private func overrides(_ entries: [(String, String)]) throws -> ResolverOverrides {
    var overrides = ResolverOverrides()
    for (host, address) in entries { overrides.set([try #require(IPAddress(address))], of: host) }
    return overrides
  }

  @Test func `overrides with the same entries are equal and have one hash, whatever their order and history`() throws {
    let one = try overrides([("a", "192.0.2.1"), ("b", "192.0.2.2")])
    let other = try overrides([("b", "192.0.2.9"), ("b.", "192.0.2.2"), ("a", "192.0.2.1")])
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
  }

  @Test func `overrides with other entries differ`() throws {
    let one = try overrides([("a", "192.0.2.1"), ("b", "192.0.2.2")])
    let swapped = try overrides([("a", "192.0.2.2"), ("b", "192.0.2.1")])
    #expect(one != swapped)
    #expect(one.hashValue != swapped.hashValue)
    #expect(one != (try overrides([("a", "192.0.2.1")])))
  }
}
