import LupineCore
import LupineEventLoop
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@testable import LupineCurl

/// Lookups of names for a SOCKS proxy, with a resolver that responds when the test opens a gate.
@Suite(.timeLimit(.minutes(1))) struct HostLookupTests {
  private final class Resolver: Sendable {
    let isAsked = Gate()
    let mayAnswer = Gate()
    private let names = Mutex<[String]>([])
    private let running = Mutex((now: 0, most: 0))

    var asked: [String] { names.withLock { $0 } }
    var mostAtOnce: Int { running.withLock { $0.most } }

    func resolve(_ name: String) -> HostResolver.Answer {
      names.withLock { $0.append(name) }
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      defer { running.withLock { $0.now -= 1 } }
      isAsked.open()
      try? mayAnswer.blockUntilOpen()
      return .addresses(HostLookupTests.addresses)
    }
  }

  private static let addresses = [IPAddress("192.0.2.1")].compactMap(\.self)
  private let resolver = Resolver()
  private let lookups: HostLookups

  init() { lookups = HostLookups(.blocking(resolver.resolve)) }

  /// Starts a lookup that waits for the resolver when the call returns.
  private func exchange(
    _ name: String, _ control: ExchangeControl = ExchangeControl(), _ other: HostLookups? = nil,
    _ log: EventLog = EventLog()
  ) -> Task<[IPAddress], any Error> {
    let context = Client().context(control: control, log: log)
    return Task.immediate { [lookups = other ?? lookups] in
      try await lookups.addresses(of: name, in: context, on: SessionClock(context.clock))
    }
  }

  @Test func `exchanges that need a name at once share one lookup`() async throws {
    let exchanges = [exchange("a.example"), exchange("a.example"), exchange("b.example"), exchange("a.example")]
    resolver.mayAnswer.open()
    for exchange in exchanges { #expect(try await exchange.value == Self.addresses) }
    #expect(resolver.asked.sorted() == ["a.example", "b.example"])
  }

  @Test func `an exchange that comes after the answer has the name looked up again`() async throws {
    resolver.mayAnswer.open()
    for _ in 1...2 { _ = try await exchange("a.example").value }
    #expect(resolver.asked.count == 2)
  }

  @Test func `an exchange that is cancelled waits no longer, and those beside and after it have the answer`()
    async throws
  {
    let control = ExchangeControl()
    let first = exchange("a.example", control)
    let second = exchange("a.example")
    control.cancel(LupineError(.cancelled, "Enough."))
    await #expect(throws: LupineError.self) { try await first.value }
    let third = exchange("a.example")
    resolver.mayAnswer.open()
    #expect(try await second.value == Self.addresses)
    #expect(try await third.value == Self.addresses)
    #expect(resolver.asked.count == 1)
  }

  @Test func `the error of a failed lookup has the resolver's text`() async throws {
    let lookups = HostLookups(HostResolver.blocking { _ in .failure("no such name") })
    let context = Client().context()
    let error = await #expect(throws: LupineError.self) {
      try await lookups.addresses(of: "a.example", in: context, on: SessionClock(context.clock))
    }
    #expect(error?.kind == .hostNotFound)
    #expect(error?.message.contains("no such name") == true)
  }

  @Test func `the limit of concurrent lookups holds, and hanging lookups count`() async throws {
    let lookups = HostLookups(.blocking(resolver.resolve), limit: 2)
    let controls = [ExchangeControl(), ExchangeControl()]
    let queued = EventLog()
    let hung = zip(["a.example", "b.example"], controls).map { exchange($0, $1, lookups) }
    for control in controls { control.cancel(LupineError(.cancelled, "Enough.")) }
    for exchange in hung { await #expect(throws: LupineError.self) { try await exchange.value } }
    let waiting = (1...5).map { exchange("\($0).example", ExchangeControl(), lookups, queued) }
    #expect(lookups.waitingCount == 5)
    #expect(queued.queuedCount == 5)
    // An exchange whose name has a running lookup joins that lookup, and does not enter the queue.
    let joined = exchange("a.example", ExchangeControl(), lookups, queued)
    #expect(lookups.waitingCount == 5)
    resolver.mayAnswer.open()
    for exchange in waiting + [joined] { #expect(try await exchange.value == Self.addresses) }
    #expect(resolver.mostAtOnce <= 2)
    #expect(lookups.waitingCount == 0)
  }

  @Test func `an exchange that leaves the queue of names takes its name along`() async throws {
    let lookups = HostLookups(.blocking(resolver.resolve), limit: 1)
    let first = exchange("a.example", ExchangeControl(), lookups)
    let control = ExchangeControl()
    let second = exchange("b.example", control, lookups)
    control.cancel(LupineError(.cancelled, "Enough."))
    await #expect(throws: LupineError.self) { try await second.value }
    #expect(lookups.waitingCount == 0)
    resolver.mayAnswer.open()
    _ = try await first.value
    #expect(resolver.asked == ["a.example"])
  }

  @Test func `a thousand exchanges wait for their names, and one more fails`() async throws {
    let lookups = HostLookups(.blocking(resolver.resolve), limit: 1)
    let waiting = (0...1_000).map { exchange("\($0).example", ExchangeControl(), lookups) }
    #expect(lookups.waitingCount == 1_000)
    let error = await #expect(throws: LupineError.self) {
      try await exchange("more.example", ExchangeControl(), lookups).value
    }
    #expect(error?.kind == .limitExceeded(.nameLookups))
    #expect(error?.message.contains("nameLookups") == true)
    lookups.close()
    resolver.mayAnswer.open()
    for exchange in waiting { await #expect(throws: LupineError.self) { try await exchange.value } }
  }

  @Test func `a transport that is shut down ends the wait for a name`() async throws {
    let transport = CurlTransport(resolver: .blocking(resolver.resolve))
    var connectionKey = ConnectionKey()
    connectionKey.proxy = try Proxy("socks5://127.0.0.1:1")
    let context = TransferContext(id: RequestID(1), connectionKey: connectionKey) { _ in .collect(limit: 1) }
    let request = try OutgoingRequest(url: HTTPURL("http://a.example/"))
    let exchange = Task { try await transport.send(request, in: context) }
    try await resolver.isAsked.opened()
    await transport.shutdown()
    let error = await #expect(throws: LupineError.self) { try await exchange.value }
    #expect(error?.kind == .sessionShutDown)
    #expect(error?.metrics != nil)
    resolver.mayAnswer.open()
  }
}
