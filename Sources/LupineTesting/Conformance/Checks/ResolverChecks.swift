import LupineCore
import Synchronization

extension ConformanceKit {
  /// Checks of a resolver that a session has in the place of the system's.
  static let resolverChecks: [ConformanceCheck] = [
    asked, addressesNotAsked, localhostNotAsked, withoutAnswer, endless, abandoned, stubborn, manyAddresses,
    refusedAddresses, separate,
  ]

  private static let host = "resolver.test"
  private static let loopback = [IPAddress("127.0.0.1")].compactMap(\.self)

  /// A resolver that records the names that it is asked for.
  private final class Names: Sendable {
    private let names = Mutex<[String]>([])
    /// Opened when the resolver is asked for a name other than `quick.test`.
    let isAsked = Gate()
    /// Opened when the task of such a call is cancelled.
    let isCancelled = Gate()

    var asked: [String] { names.withLock { $0 } }

    /// Settings with the resolver.
    func settings(_ answer: @escaping @Sendable (Names) async throws -> [IPAddress]) -> StageSettings {
      var settings = StageSettings()
      settings.resolver = HostResolver { [self] host in
        names.withLock { $0.append(host) }
        if host == "quick.test" { return ConformanceKit.loopback }
        isAsked.open()
        return try await answer(self)
      }
      return settings
    }

    /// Waits until the task is cancelled.
    func waitForCancellation() async throws -> [IPAddress] {
      do { try await Gate().opened() } catch {
        isCancelled.open()
        throw error
      }
      return []
    }
  }

  private static func named(
    _ stage: ConformanceStage, _ path: String = "/", host: String = host
  ) throws -> OutgoingRequest {
    OutgoingRequest(url: try HTTPURL(stage.peer.url.replacing("127.0.0.1", with: host) + path))
  }

  private static let asked = ConformanceCheck(
    "the session's resolver is asked for a name, and its address is connected to", needs: .hostResolvers
  ) { stage in
    try stage.play { _ in .text("ok") }
    let names = Names()
    let response = try await stage.fetch(named(stage), names.settings { _ in loopback })
    try stage.expect(response.text, "ok", "The body")
    try stage.expect(names.asked, [host], "The names that the resolver was asked for")
    try stage.expect(response.log.resolvedHosts, [host], "The hosts of the events nameResolved")
    guard stage.transport.capabilities.contains(.networking) else { return }
    let address = try HTTPURL(stage.peer.url).authority
    try stage.expect(response.end.metrics.remoteAddress, address, "The address of the connection")
    try stage.expect(response.end.metrics.nameLookup != nil, "Whether the time of the lookup is reported")
  }

  private static let addressesNotAsked = ConformanceCheck(
    "the session's resolver is asked neither for addresses nor for hosts whose addresses the session sets",
    needs: .hostResolvers
  ) { stage in
    try stage.play { _ in .text("ok") }
    let names = Names()
    var settings = names.settings { _ in [] }
    _ = try await stage.fetch(stage.request(), settings)
    if stage.transport.capabilities.contains(.resolverOverrides) {
      settings.control = ExchangeControl()
      settings.connectionKey.resolverOverrides.set(loopback, of: host)
      _ = try await stage.fetch(named(stage), settings)
    }
    try stage.expect(names.asked, [], "The names that the resolver was asked for")
  }

  private static let localhostNotAsked = ConformanceCheck(
    "the session's resolver is not asked for localhost", needs: [.hostResolvers, .networking],
    about: "RFC 6761 section 6.3."
  ) { stage in
    let (url, reservation) = try playOnLocalhost(stage)
    let names = Names()
    let response = try await stage.fetch(OutgoingRequest(url: url), names.settings { _ in [] })
    withExtendedLifetime(reservation) {}
    try stage.expect(response.text, "ok", "The body")
    try stage.expect(names.asked, [], "The names that the resolver was asked for")
  }

  private static let withoutAnswer = ConformanceCheck(
    "an error and an empty answer of the session's resolver are a host that is not found, and it is asked again",
    needs: .hostResolvers
  ) { stage in
    struct Refused: Error {}
    try stage.play { _ in .text("ok") }
    let names = Names()
    let settings = names.settings { names in
      switch names.asked.count {
      case 1: throw Refused()
      case 2: []
      default: loopback
      }
    }
    func fetch() async throws -> String {
      var settings = settings
      settings.control = ExchangeControl()
      return try await stage.fetch(named(stage), settings).text
    }
    let error = try await stage.expect(error: .hostNotFound, "The request") { _ = try await fetch() }
    try stage.expect(error.underlying is Refused, "Whether the error of the resolver is the underlying one")
    try await stage.expect(error: .hostNotFound, "The second request") { _ = try await fetch() }
    try stage.expect(try await fetch(), "ok", "The third response")
    try stage.expect(names.asked.count, 3, "The number of questions")
  }

  private static let endless = ConformanceCheck(
    "the connect timeout ends a lookup of the session's resolver, and cancels its task", needs: .hostResolvers
  ) { stage in
    try stage.play { _ in .text("ok") }
    let names = Names()
    var settings = names.settings { try await $0.waitForCancellation() }
    settings.connectTimeout = .milliseconds(50)
    let (request, limited) = (try named(stage), settings)
    try await stage.expect(error: .timedOut(.connect), "The request") { _ = try await stage.fetch(request, limited) }
    try await names.isCancelled.opened()
    try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
  }

  private static let abandoned = ConformanceCheck(
    "a slow lookup of the session's resolver holds nothing else up, and ends when its exchange is cancelled",
    needs: .hostResolvers
  ) { stage in
    try stage.play { .text($0.target) }
    let names = Names()
    let settings = names.settings { try await $0.waitForCancellation() }
    let request = try named(stage, "/slow")
    let pending = Task { _ = try await stage.fetch(request, settings) }
    try await names.isAsked.opened()
    var others = settings
    others.control = ExchangeControl()
    let quick = try await stage.fetch(named(stage, "/quick", host: "quick.test"), others)
    try stage.expect(quick.text, "/quick", "The response of another name")
    try stage.expect(try await stage.fetch("/address").text, "/address", "The response of an address")
    settings.control.cancel(LupineError(.cancelled, "The check cancels this exchange."))
    try await stage.expect(error: .cancelled, "The request") { try await pending.value }
    try await names.isCancelled.opened()
  }

  private static let stubborn = ConformanceCheck(
    "the shutdown does not wait for a call of the session's resolver that ignores its cancellation",
    needs: .hostResolvers
  ) { stage in
    try stage.play { _ in .text("ok") }
    let (names, mayReturn) = (Names(), Gate())
    let settings = names.settings { _ in
      await Task { try? await mayReturn.opened() }.value
      return loopback
    }
    let request = try named(stage)
    let pending = Task { _ = try await stage.fetch(request, settings) }
    try await names.isAsked.opened()
    await stage.transport.shutdown()
    try await stage.expect(error: .sessionShutDown, "The request") { try await pending.value }
    mayReturn.open()
  }

  private static let manyAddresses = ConformanceCheck(
    "an answer of the session's resolver with 10,000 addresses is used from its beginning", needs: .hostResolvers
  ) { stage in
    try stage.play { _ in .text("ok") }
    let others = (0..<10_000).compactMap { IPAddress(bytes: [10, 0, UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
    let response = try await stage.fetch(named(stage), Names().settings { _ in loopback + others })
    try stage.expect(response.text, "ok", "The body")
  }

  private static let refusedAddresses = ConformanceCheck(
    "the network policy checks the addresses of the session's resolver", needs: [.hostResolvers, .networkPolicy]
  ) { stage in
    try stage.play { _ in .text("ok") }
    var settings = Names().settings { _ in loopback + ["10.0.0.1", "::1", "fe80::1"].compactMap { IPAddress($0) } }
    settings.connectionKey.networkPolicy = .publicInternetOnly
    let (request, checked) = (try named(stage), settings)
    try await stage.expect(error: .addressRefused, "The request") { _ = try await stage.fetch(request, checked) }
    try stage.expect(stage.peer.requests.count, 0, "The requests that arrived")
  }

  private static let separate = ConformanceCheck(
    "exchanges with different resolvers of sessions share neither answers nor connections",
    needs: [.hostResolvers, .networking, .connectionReuse]
  ) { stage in
    try stage.play { _ in .text("ok") }
    let (one, other) = (Names(), Names())
    let settings = (one.settings { _ in loopback }, other.settings { _ in loopback })
    for isOne in [true, false, true, false] {
      var settings = isOne ? settings.0 : settings.1
      settings.control = ExchangeControl()
      _ = try await stage.fetch(named(stage), settings)
    }
    try stage.expect([one.asked, other.asked], [[host], [host]], "The names that each was asked for")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }
}
