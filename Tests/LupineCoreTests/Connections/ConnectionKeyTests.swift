import LupineCore
import LupineMock
import LupineSupport
import Testing

@testable import LupineSession

@Suite struct ConnectionKeyTests {
  @Test func `keys with other rules differ, and the rules take no part in the hash`() {
    var (one, other) = (ConnectionKey(), ConnectionKey())
    one.networkPolicy = NetworkPolicy(otherwise: .deny).allowing("192.0.2.1")
    other.networkPolicy = NetworkPolicy(otherwise: .deny).allowing("192.0.2.2")
    #expect(one != other)
    #expect(one.hashValue == other.hashValue)
    other.networkPolicy = one.networkPolicy
    #expect(one == other)
  }

  /// A comparison of keys that are no copies of one key compares the addresses, each of which is a step.
  @Test(arguments: ["http://example.com/", "https://example.com/", "https://near.example.com/"], [false, true])
  func `the exchanges of a session have copies of one key`(text: String, isAuthenticated: Bool) async throws {
    var builder = Session.Builder().transport(MockTransport()).baseURL("https://example.com")
      .proxy("socks5://127.0.0.1:1", except: ["near.example.com"])
      .connectionCredential(.negotiate)
    for number in 0..<100 { builder = builder.resolve("host\(number).example.com", to: "192.0.2.1") }
    let (session, twin) = (try builder.build(), try builder.build())
    let url = try HTTPURL(text)
    func key(_ session: Session) -> ConnectionKey {
      session.connectionKeys.key(for: url, isAuthenticated: isAuthenticated)
    }
    func steps(_ other: Session) async -> Int {
      await StepCount.count { #expect(key(session) == key(other)) }
    }
    #expect(await steps(session) == 0)
    #expect(await steps(twin) == 100)
    #expect((key(session).proxy == nil) == text.contains("near"))
    #expect((key(session).connectionCredential != nil) == isAuthenticated)
    #expect(key(session).resolverOverrides.addresses(of: "host7.example.com") != nil)
  }
}
