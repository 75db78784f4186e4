import LupineCore
import LupineEventLoop
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// Lookups with asynchronous resolvers, which both transports share.
@Suite(.timeLimit(.minutes(1))) struct ResolverLookupTests {
  /// A resolver that answers when the test opens a gate.
  private final class Names: Sendable {
    let isAsked = Gate()
    let mayAnswer = Gate()
    private let names = Mutex<[String]>([])

    var asked: [String] { names.withLock { $0 } }

    /// A resolver that throws as soon as its task is cancelled.
    var attentive: HostResolver { resolver { [mayAnswer] in try await mayAnswer.opened() } }
    /// A resolver that does not notice that its task is cancelled.
    var stubborn: HostResolver { resolver { [mayAnswer] in await Task { try? await mayAnswer.opened() }.value } }

    private func resolver(_ wait: @escaping @Sendable () async throws -> Void) -> HostResolver {
      HostResolver { [self] host in
        names.withLock { $0.append(host) }
        isAsked.open()
        try await wait()
        return ResolverLookupTests.addresses
      }
    }
  }

  private static let addresses = [IPAddress("192.0.2.1")].compactMap(\.self)
  private static let enough = LupineError(.cancelled, "Enough.")
  private let names = Names()

  /// Starts a lookup that waits for the resolver when the call returns.
  private func exchange(
    _ host: String, _ lookups: HostLookups, _ control: ExchangeControl = ExchangeControl()
  ) -> Task<[IPAddress], any Error> {
    let context = Client().context(control: control)
    return Task.immediate { try await lookups.addresses(of: host, in: context, on: SessionClock(context.clock)) }
  }

  @Test func `exchanges that need a name at once share one question`() async throws {
    let lookups = HostLookups(names.attentive)
    let exchanges = ["a.test", "a.test", "b.test", "a.test"].map { exchange($0, lookups) }
    names.mayAnswer.open()
    for exchange in exchanges { #expect(try await exchange.value == Self.addresses) }
    #expect(names.asked.sorted() == ["a.test", "b.test"])
  }

  @Test func `a question is cancelled when its last exchange leaves, and the next exchange asks again`() async throws {
    let lookups = HostLookups(names.stubborn)
    let controls = [ExchangeControl(), ExchangeControl()]
    let left = controls.map { exchange("a.test", lookups, $0) }
    try await names.isAsked.opened()
    for control in controls { control.cancel(Self.enough) }
    for exchange in left { await #expect(throws: LupineError.self) { try await exchange.value } }
    let next = exchange("a.test", lookups)
    names.mayAnswer.open()
    #expect(try await next.value == Self.addresses)
    #expect(names.asked == ["a.test", "a.test"])
  }

  @Test func `a call that ignores its cancellation counts until it returns`() async throws {
    let lookups = HostLookups(names.stubborn, limit: 1)
    let control = ExchangeControl()
    let hung = exchange("a.test", lookups, control)
    try await names.isAsked.opened()
    control.cancel(Self.enough)
    await #expect(throws: LupineError.self) { try await hung.value }
    let next = exchange("b.test", lookups)
    #expect(lookups.waitingCount == 1 && names.asked == ["a.test"])
    names.mayAnswer.open()
    #expect(try await next.value == Self.addresses)
    #expect(lookups.waitingCount == 0)
  }

  @Test func `the shutdown ends the wait and the question`() async throws {
    let lookups = HostLookups(names.attentive)
    let waiting = exchange("a.test", lookups)
    lookups.close()
    let error = await #expect(throws: LupineError.self) { try await waiting.value }
    #expect(error?.kind == .sessionShutDown)
  }

  @Test func `each resolver has lookups of its own, which are released when nothing needs them`() async throws {
    let all = ResolverLookups(.system)
    let (one, other) = (names.attentive, names.attentive)
    weak var released: HostLookups?
    do {
      let first = all.lookups(of: one)
      #expect(all.lookups(of: one) === first)
      #expect(all.lookups(of: other) !== first)
      #expect(all.lookups(of: nil) === all.standard)
      released = first
    }
    #expect(released == nil)
    for _ in 0..<1_000 { _ = all.lookups(of: names.attentive) }
  }

  @Test func `the shutdown of a transport ends the lookups of all resolvers, also later ones`() async throws {
    let all = ResolverLookups(.system)
    let hung = exchange("a.test", all.lookups(of: names.stubborn))
    try await names.isAsked.opened()
    all.close()
    let late = exchange("a.test", all.lookups(of: names.attentive))
    for exchange in [hung, late] {
      let error = await #expect(throws: LupineError.self) { try await exchange.value }
      #expect(error?.kind == .sessionShutDown)
    }
    names.mayAnswer.open()
  }
}
