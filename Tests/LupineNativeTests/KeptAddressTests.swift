import LupineCore
import LupineEventLoop
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@testable import LupineNative

/// The addresses of a name that are kept for further connections.
@Suite(.timeLimit(.minutes(1))) struct KeptAddressTests {
  /// A resolver and a clock that the test controls.
  private final class Names: Sendable {
    private let state = Mutex<(asked: [String], seconds: UInt64)>(([], 0))

    var asked: [String] { state.withLock { $0.asked } }

    func advance(by seconds: UInt64) { state.withLock { $0.seconds += seconds } }

    func lookups(lifetime: Duration, _ answer: HostResolver.Answer) -> HostLookups {
      let resolver = HostResolver.blocking { [self] host in
        state.withLock { $0.asked.append(host) }
        return answer
      }
      return HostLookups(resolver, lifetime: lifetime, now: { [self] in state.withLock { $0.seconds } * 1_000_000_000 })
    }
  }

  private let address = IPAddress("127.0.0.1")
  private let names = Names()

  private func resolve(_ host: String, _ lookups: HostLookups) async throws -> [IPAddress] {
    let context = Client.native().context()
    return try await lookups.addresses(of: host, in: context, on: SessionClock(context.clock))
  }

  @Test func `addresses are kept for their lifetime, or until they are forgotten`() async throws {
    let addresses = [try #require(address)]
    let lookups = names.lookups(lifetime: .seconds(5), .addresses(addresses))
    #expect(lookups.keptAddresses(of: "a.example") == nil)
    #expect(try await resolve("a.example", lookups) == addresses)
    names.advance(by: 4)
    #expect(lookups.keptAddresses(of: "a.example") == addresses)
    #expect(lookups.keptAddresses(of: "b.example") == nil)
    names.advance(by: 1)
    #expect(lookups.keptAddresses(of: "a.example") == nil)
    _ = try await resolve("a.example", lookups)
    lookups.forget("a.example")
    #expect(lookups.keptAddresses(of: "a.example") == nil)
    #expect(names.asked == ["a.example", "a.example"])
  }

  @Test func `without a lifetime, and after a failure, nothing is kept`() async throws {
    let addresses = [try #require(address)]
    let forgetful = names.lookups(lifetime: .zero, .addresses(addresses))
    #expect(try await resolve("a.example", forgetful) == addresses)
    #expect(forgetful.keptAddresses(of: "a.example") == nil)
    let failing = names.lookups(lifetime: .seconds(5), .failure("no such name"))
    await #expect(throws: LupineError.self) { try await resolve("a.example", failing) }
    #expect(failing.keptAddresses(of: "a.example") == nil)
  }

  @Test func `the number of names whose addresses are kept is bounded`() async throws {
    let lookups = names.lookups(lifetime: .seconds(5), .addresses([try #require(address)]))
    for number in 0...1_000 { _ = try await resolve("\(number).example", lookups) }
    #expect(lookups.keptAddresses(of: "999.example") != nil && lookups.keptAddresses(of: "1000.example") == nil)
    names.advance(by: 6)
    _ = try await resolve("new.example", lookups)
    #expect(lookups.keptAddresses(of: "new.example") != nil)
  }

  @Test func `two connections need one lookup, and a failed connection makes the next one look the name up`()
    async throws
  {
    let asked = Mutex(0)
    let addresses = [try #require(address)]
    let transport = NativeTransport(
      resolver: HostResolver.blocking { _ in
        asked.withLock { $0 += 1 }
        return .addresses(addresses)
      })
    var client = Client(transport)
    client.options.isKeptAlive = false
    let (server, log) = (try ScriptedServer(always: .respond(body: .text("ok"))), EventLog())
    for _ in 1...2 {
      #expect(try await client.fetch("http://a.example:\(server.port)/", log: log).text == "ok")
    }
    #expect(asked.withLock { $0 } == 1 && log.lookups == ["a.example", "a.example"])
    let closed = try ClosedPort()
    for _ in 1...2 { #expect(await client.failure("http://a.example:\(closed.port)/")?.kind == .connectionRefused) }
    #expect(asked.withLock { $0 } == 2)
    await transport.shutdown()
  }
}
