import Lupine
import LupineMock
import Synchronization

extension LupineError.Kind {
  /// The breaker is open after too many consecutive failures, and sends no request.
  static let ownBreakerOpen = LupineError.Kind.plugin("ownBreakerOpen")
}

/// A circuit breaker: after `limit` consecutive failures of an origin, requests to the origin fail immediately.
struct OwnBreaker: Plugin {
  let limit: Int

  func install(in builder: inout Session.Builder) {
    let layer = TransportLayer("ownBreaker", inside: [.tracing, .cache, .hedging]) { [limit] base in
      BreakingTransport(base: base, limit: limit)
    }
    builder = builder.transportLayer(layer)
  }
}

final class BreakingTransport: Transport {
  private let base: any Transport
  private let limit: Int
  private let failures = Mutex<[HTTPURL.Origin: Int]>([:])

  init(base: any Transport, limit: Int) {
    self.base = base
    self.limit = limit
  }

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let origin = request.url.origin
    guard failures.withLock({ $0[origin] ?? 0 }) < limit else {
      context.emit(.decided(policy: "ownBreaker", reason: "sends nothing to \(origin)"))
      throw LupineError(.ownBreakerOpen, "The breaker for \(origin) is open.")
    }
    do throws(LupineError) {
      let response = try await base.send(request, in: context)
      failures.withLock { $0[origin] = nil }
      return response
    } catch {
      failures.withLock { $0[origin, default: 0] += 1 }
      throw error
    }
  }

  func shutdown() async { await base.shutdown() }
}

/// Checks that two failures come from the mock, and that the third request fails with the breaker's kind of error.
func checkBreaker() async throws {
  let mock = MockTransport()
  mock.stub(.get, "https://example.com/down", .failure(.connectionRefused))
  let session = try Session.Builder().transport(mock).install(OwnBreaker(limit: 2)).build()
  var kinds: [LupineError.Kind?] = []
  for _ in 0..<3 {
    kinds.append(await session.request("https://example.com/down").serializingData().response.error?.kind)
  }
  guard kinds == [.connectionRefused, .connectionRefused, .ownBreakerOpen], mock.requests.count == 2 else {
    throw OwnParts.Surprise(what: "the breaker let \(mock.requests.count) through: \(kinds)")
  }
}
