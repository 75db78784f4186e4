import Foundation
import Lupine

struct OwnPlugin: Plugin {
  func install(in builder: inout Session.Builder) {
    let tokens = AuthenticationInterceptor(
      OwnAuthenticator(), credential: OwnCredential(), to: .origins(["https://example.com"]))
    builder = builder.adapter(OwnAdapter()).retrier(OwnRetrier()).interceptor(Fallback(kept: Data("kept".utf8)))
      .monitor(OwnMonitor())
      .authenticationScheme(OwnScheme()).contentCoding(OwnCoding()).install(tokens)
  }
}

struct OwnAdapter: RequestAdapter {
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    var request = request
    request.headers[.accept] = "text/own"
    return request
  }
}

struct OwnRetrier: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision { .doNotRetry }
}

/// Responds with `kept` if the server refuses the connection.
struct Fallback: Interceptor {
  let kept: Data

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    do {
      return try await next(request)
    } catch let error as LupineError where error.kind == .connectionRefused {
      return TransportResponse(head: HTTPResponse(status: .ok), body: .complete(kept))
    }
  }
}

struct OwnMonitor: EventMonitor {
  func receive(_ event: SessionEvent) {}
}

struct OwnCredential: AuthenticationCredential {}

struct OwnAuthenticator: Authenticator {
  func apply(_ credential: OwnCredential, to request: inout OutgoingRequest) {}

  func refresh(_ credential: OwnCredential, for session: Session) async throws -> OwnCredential { credential }
}

struct OwnScheme: AuthenticationScheme {
  let name = "Own"

  func strength(of challenge: AuthenticationChallenge) -> Int { 1 }

  func answer(
    _ challenge: AuthenticationChallenge, with credential: Credential, in context: AuthenticationContext
  ) async throws -> String? {
    nil
  }
}

struct OwnEvaluator: TrustEvaluator {
  func evaluate(_ trust: ServerTrust) throws {}
}

struct OwnCookies: CookieStore {
  func cookies(for url: HTTPURL, now: Date) -> [CookiePair] { [CookiePair(name: "own", value: "1")] }

  func store(_ fields: [String], from url: HTTPURL, now: Date) {}
}
