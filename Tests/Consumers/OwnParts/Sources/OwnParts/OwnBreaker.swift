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
    builder = builder.exchangeLayer("ownBreaker", inside: [.tracing, .cache, .hedging]) { [limit] in
      BreakingLayer(limit: limit)
    }
  }
}

final class BreakingLayer: ExchangeLayer {
  private let limit: Int
  private let failures = Mutex<[HTTPURL.Origin: Int]>([:])

  init(limit: Int) { self.limit = limit }

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let origin = request.url.origin
    guard failures.withLock({ $0[origin] ?? 0 }) < limit else {
      context.emit(.decided(policy: "ownBreaker", reason: "sends nothing to \(origin)"))
      throw LupineError(.ownBreakerOpen, "The breaker for \(origin) is open.")
    }
    do throws(LupineError) {
      let response = try await next(request, in: context)
      failures.withLock { $0[origin] = nil }
      return response
    } catch {
      failures.withLock { $0[origin, default: 0] += 1 }
      throw error
    }
  }
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
