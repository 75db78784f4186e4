import Foundation
import Lupine

struct OwnPlugin: Plugin {
  func install(in builder: inout Session.Builder) {
    let tokens = AuthenticationInterceptor(
      OwnAuthenticator(), credential: OwnCredential(), to: .origins(["https://example.com"]))
    builder = builder.adapter(OwnAdapter()).retrier(OwnRetrier()).interceptor(OwnInterceptor()).monitor(OwnMonitor())
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
  func decision(for attempt: FailedAttempt) async -> RetryDecision { .doNotRetry }
}

/// Sees the response and hands it on, and answers by itself what nobody has.
struct OwnInterceptor: Interceptor {
  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    let response = try await next(request)
    guard response.head.status == .notFound else { return response }
    return TransportResponse(head: HTTPResponse(status: .ok), body: .complete(Data("LUPINE".utf8)))
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
