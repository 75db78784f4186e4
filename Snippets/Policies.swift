// Retries, refreshed tokens, redirects, circuit breakers and rate limits.

import Lupine
import LupineMock

// snippet.hide
let mock = MockTransport()
mock.stub(.get, "/v1/items", .sequence([.status(.serviceUnavailable).field(.retryAfter, "2"), .text("items")]))
mock.stub(.get, "/v1/stock", .sequence([.text("[7,"), .text("[7, 4]")]))
mock.stub(.post, "/v1/orders", .sequence([.reset, .text("ordered", status: .created)]))
mock.stub(.get, "/v1/account", .sequence([.challenge("Bearer"), .text("account")]))
mock.stub(.post, "/v1/token", .json(["token": "new"]))
mock.stub(.get, "/v1/moved", .redirect(to: "/v1/items", status: .movedPermanently))
// snippet.show
struct AccessToken: AuthenticationCredential, Decodable {
  var token: String
}

struct TokenService: Authenticator {
  func apply(_ credential: AccessToken, to request: inout OutgoingRequest) {
    request.headers[.authorization] = "Bearer \(credential.token)"
  }

  func refresh(_ credential: AccessToken, for session: Session) async throws -> AccessToken {
    try await session.request("token", method: .post).validate().serializingDecodable().value
  }
}

let authentication = AuthenticationInterceptor(TokenService(), credential: AccessToken(token: "old"))
let session = try Session.Builder()
  .transport(mock)
  // snippet.hide
  .clock(ImmediateClock())
  // snippet.show
  .baseURL("https://api.example.com/v1")
  .install(authentication)
  .install(.resilience { $0.hedging = .hedging(after: .seconds(1)) })
  .build()

// The server answers 503 with Retry-After: 2. The session waits, and sends the request again.
let items = try await session.request("items").validate().serializingString().value

// With an idempotency key, the server can recognise a POST that is sent again.
let order = try await session.request("orders", method: .post).idempotencyKey().serializingString().value

/// Repeats a request once if its response cannot be decoded.
struct DecodingRetrier: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard attempt.error?.kind == .serializationFailed, attempt.retries < 1 else { return .doNotRetry }
    return .retry(after: .seconds(1))
  }
}
let stock = try await session.request("stock").retrier(DecodingRetrier()).serializingDecodable([Int].self).value

// A 401 refreshes the token, once for all requests that are refused at the same time.
let account = try await session.request("account").validate().serializingString().value

// A response has the redirects that led to it.
let response = await session.request("moved").serializingString().response
for step in response.redirects { print(step) }  // GET https://api.example.com/v1/moved (301)
// snippet.hide
print(items, order, stock, account)
// snippet.show

let policy = RetryPolicy(limit: 5, cap: .seconds(20), retryAfterCap: .seconds(120), budget: RetryBudget(capacity: 20))
let breaker = CircuitBreaker(.init { $0.breakDuration = .seconds(10) })  // shared by both sessions
let reading = try Session.Builder().transport(mock).retrier(policy).install(breaker).build()
let writing = try Session.Builder().transport(mock).install(breaker).install(.rateLimit(10, per: .seconds(1))).build()
// snippet.hide
_ = (reading, writing)

let gateway = try Session.Builder()
  .transport(mock)
  .install(.circuitBreaker { $0.key = .path() })  // /orders and /users have a circuit each
  .install(.concurrencyLimit(20, key: .custom { $0.url.path.hasPrefix("/v2/") ? "new" : "old" }))
  .install(.hedging(after: .milliseconds(300), badStatusCodes: [503]))
  .build()
// snippet.hide
print(await gateway.request("https://api.example.com/v1/items").serializingString().result)
