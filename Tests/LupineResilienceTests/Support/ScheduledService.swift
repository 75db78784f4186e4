import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Synchronization

/// A server that requires a token, sometimes invalidates it, redirects, is sometimes busy, and counts orders.
final class ScheduledService: Authenticator {
  private struct State {
    var valid = 0
    var uses = 0
    var refreshes: [Duration] = []
    var orders: [String: Int] = [:]
  }

  private let world: Simulation
  private let state = Mutex(State())

  init(_ world: Simulation) { self.world = world }

  /// The times at which the token was refreshed.
  var refreshes: [Duration] { state.withLock { $0.refreshes } }
  /// The number of times that each order without an idempotency key arrived, by path.
  var orders: [String: Int] { state.withLock { $0.orders } }

  func stub(_ mock: MockTransport) {
    mock.stub(.get, "https://a.example.com/item/{id}", count: .optional) {
      self.guarded($0) { self.busy(.text("item")) }
    }
    mock.stub(.post, "https://a.example.com/order/{id}", count: .optional) { request in
      self.guarded(request) { self.order(request) }
    }
    mock.stub(.get, "https://a.example.com/away/{id}", count: .optional, .redirect(to: "https://b.example.com/item"))
    mock.stub(.get, "https://a.example.com/near/{id}", count: .optional, .redirect(to: "/item/1"))
    mock.stub(.get, "https://a.example.com/circle/{id}", count: .optional) { .redirect(to: $0.url.path) }
    mock.stub(.get, "https://b.example.com/item", count: .optional) { request in
      if request.headers[.authorization] != nil { return .text("The token has left its origin.", status: .teapot) }
      return self.busy(.text("").chunked(["i", "t", "em"], every: .milliseconds(100)))
    }
  }

  func apply(_ credential: ScheduledToken, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.number)"
  }

  func refresh(_ credential: ScheduledToken, for session: Session) async throws -> ScheduledToken {
    state.withLock { $0.refreshes.append(world.clock.now.offset) }
    try await world.sleep(for: .milliseconds(200))
    if world.random().isMultiple(of: 8) { throw LupineError(.connectionLost, "The token server is away.") }
    return ScheduledToken(number: state.withLock { $0.valid })
  }

  private func guarded(_ request: RecordedRequest, _ reply: () -> MockReply) -> MockReply {
    let forgets = world.random().isMultiple(of: 6)
    let isValid = state.withLock { state in
      let isValid = request.headers[.authorization] == "Bearer \(state.valid)"
      if isValid, forgets { state.valid += 1 }
      return isValid
    }
    return isValid ? reply() : .challenge("Bearer")
  }

  private func busy(_ reply: MockReply) -> MockReply {
    switch world.random() % 8 {
    case 0: .status(.serviceUnavailable)
    case 1: .status(.tooManyRequests).field(.retryAfter, "1")
    case 2: .status(.serviceUnavailable).field(.retryAfter, "99999999")
    default: reply
    }
  }

  private func order(_ request: RecordedRequest) -> MockReply {
    // An order with an idempotency key may arrive more than once, because the server can detect the repetition.
    let name = request.headers[.idempotencyKey] == nil ? request.url.path : nil
    if let name { state.withLock { $0.orders[name, default: 0] += 1 } }
    return busy(.text("ordered", status: .created))
  }
}

struct ScheduledToken: AuthenticationCredential {
  let number: Int
}

extension HTTPResponse.Status {
  static let teapot = HTTPResponse.Status(code: 418)
}
