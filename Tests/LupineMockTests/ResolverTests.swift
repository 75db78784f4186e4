import LupineCore
import LupineMock
import LupineSession
import LupineSupport
import Synchronization
import Testing

/// A session's own resolver on the mock; the conformance kit has the cases without a session.
@Suite struct ResolverTests {
  private static func session(
    _ mock: MockTransport, _ resolve: @escaping @Sendable (String) async throws -> [IPAddress]
  ) throws -> Session.Builder {
    mock.stub(.get, "/{any...}", .text("x"))
    return Session.Builder().transport(mock).resolver(resolve)
  }

  @Test(arguments: [("93.184.215.14", "10.0.0.1", true), ("10.0.0.1", "93.184.215.14", false)])
  func `the policy checks the addresses of the resolver in the place of the mock's`(
    given: String, imitated: String, isAllowed: Bool
  ) async throws {
    let mock = MockTransport()
    mock.resolves("a.test", to: [imitated])
    let session = try Self.session(mock) { _ in [IPAddress(given)].compactMap(\.self) }
      .clock(ImmediateClock()).networkPolicy(.publicInternetOnly).build()
    let response = await session.request("https://a.test/").serializingString().response
    #expect(response.value == (isAllowed ? "x" : nil))
    #expect(response.error?.kind == (isAllowed ? nil : .addressRefused))
  }

  @Test func `the connect timeout ends a lookup without an answer`() async throws {
    try await withSimulation { simulation in
      let session = try Self.session(MockTransport()) { _ in
        _ = await Waiter<Void>().value()
        return []
      }.timeouts(connect: .seconds(7), idle: nil).build()
      let response = await session.request("https://a.test/").serializingData().response
      try simulation.expect(response.error?.kind == .timedOut(.connect), "\(String(describing: response.error))")
      try simulation.expect(simulation.clock.now.offset == .seconds(7), "\(simulation.clock.now)")
    }
  }

  @Test(arguments: [("http://p.test:1", 0), ("socks5h://p.test:1", 0), ("socks5://p.test:1", 1)])
  func `a proxy that resolves names leaves nothing to ask`(proxy: String, count: Int) async throws {
    let asked = Mutex(0)
    let session = try Self.session(MockTransport()) { _ in
      asked.withLock { $0 += 1 }
      return [IPAddress("192.0.2.1")].compactMap(\.self)
    }.clock(ImmediateClock()).proxy(proxy).build()
    #expect(await session.request("http://a.test/").serializingString().response.value == "x")
    #expect(asked.withLock { $0 } == count)
  }
}
