import HTTPTypes
import LupineCore
import LupineFoundation

/// The decision of the cache about a request.
enum CacheDecision: Sendable, Equatable {
  /// Answers with the stored response; `isRevalidated` also refreshes it in the background.
  case use(isRevalidated: Bool)
  /// Asks the server whether the stored response is current.
  case validate(CacheStatus.Forward)
  /// Requests the rest of a response whose beginning is stored.
  case complete
  /// Sends the request.
  case send(CacheStatus.Forward)
  /// Sends the request because the store has failed; no other request waits for it.
  case sendAlone
  /// Ends the request, which wanted a stored response alone.
  case refuse
}

/// Decides about a request (RFC 9111 section 4).
struct ReuseRules: Sendable {
  let request: CacheableRequest
  let candidate: Candidate
  let freshness: Freshness
  /// Whether the caller has set the lifetime of the response.
  private let hasOwnLifetime: Bool

  init(_ request: CacheableRequest, _ candidate: Candidate, now: Date) {
    self.request = request
    self.candidate = candidate
    let lifetime = request.lifetime(of: candidate.head)
    hasOwnLifetime = lifetime != nil
    freshness = Freshness(of: candidate.entry, lifetime: lifetime, now: now)
  }

  var control: ResponseControl { candidate.entry.control }

  /// Decides about a request whose URL has the selection's responses.
  static func decision(for request: CacheableRequest, _ selection: Selection, _ rules: ReuseRules?) -> CacheDecision {
    let wantsStored = request.wantsStoredAlone
    guard request.policy != .reload else { return .send(.request) }
    guard let rules else { return wantsStored ? .refuse : decision(for: request, selection) }
    let decision = rules.decision
    if case .use = decision {
      // The stored response may be the one that is retried.
      guard request.isRetry else { return decision }
      return wantsStored ? .refuse : .send(.request)
    }
    return wantsStored ? .refuse : decision
  }

  /// Decides about a request that no stored response answers.
  private static func decision(for request: CacheableRequest, _ selection: Selection) -> CacheDecision {
    guard request.method == .get, !selection.parts.isEmpty else {
      return .send(selection.hasOthers ? .varyMiss : .uriMiss)
    }
    return request.wantsWhole && selection.beginning != nil ? .complete : .send(.partial)
  }

  private var decision: CacheDecision {
    if candidate.isOfAnotherUser { return validation(.varyMiss) }
    if isValidationWanted { return validation(.request) }
    if control.requiresValidation, !hasOwnLifetime { return validation(.stale) }
    if freshness.isFresh {
      return isFreshEnough || isAnyAgeWanted ? .use(isRevalidated: false) : validation(.request)
    }
    guard !control.forbidsStaleUse else { return validation(.stale) }
    if isAnyAgeWanted || isStaleWanted { return .use(isRevalidated: false) }
    // A refresh in the background would store a response.
    let mayRefresh = !limitsAge && request.policy != .doNotStore
    return hasRefreshWindow && mayRefresh ? .use(isRevalidated: true) : validation(.stale)
  }

  /// Whether the response, just arrived or just validated, can answer requests that wait for it without a validation of
  /// their own.
  var isShareable: Bool {
    if control.requiresValidation, !hasOwnLifetime { return false }
    return freshness.isFresh || !control.forbidsStaleUse && hasRefreshWindow
  }

  /// Whether the response may be used while it is refreshed (RFC 5861 section 3).
  private var hasRefreshWindow: Bool {
    freshness.isStale(byAtMost: control.directives.seconds("stale-while-revalidate"))
  }

  private func validation(_ reason: CacheStatus.Forward) -> CacheDecision {
    // The caller's own conditions go to the server unchanged.
    candidate.conditions == nil || request.isConditional || request.method != .get ? .send(reason) : .validate(reason)
  }

  /// Whether the caller wants a validation; a fresh immutable response needs none (RFC 8246).
  private var isValidationWanted: Bool {
    if request.directives.concernsAll("no-cache") { return true }
    return request.policy == .validate && !(freshness.isFresh && control.directives.contains("immutable"))
  }

  private var isAnyAgeWanted: Bool { request.policy == .preferStored || request.policy == .onlyStored }

  private var limitsAge: Bool { request.directives.contains("max-age") || request.directives.contains("min-fresh") }

  /// Applies `max-age` and `min-fresh` of the request to a fresh response.
  private var isFreshEnough: Bool {
    if let age = request.directives.seconds("max-age"), freshness.age > age || age == 0 { return false }
    return freshness.rest >= request.directives.seconds("min-fresh") ?? 0
  }

  /// Applies `max-stale` of the request to a stale response; without an argument any age is accepted.
  private var isStaleWanted: Bool {
    guard request.directives.contains("max-stale"), !limitsAge else { return false }
    return request.directives.hasArgument("max-stale")
      ? freshness.isStale(byAtMost: request.directives.seconds("max-stale")) : true
  }

  /// Whether the stored response answers in the place of an error (RFC 5861 section 4).
  var permitsUseOnError: Bool {
    guard !candidate.isOfAnotherUser, !control.forbidsStaleUse, freshness.age.isFinite, !isValidationWanted,
      request.policy != .reload, !request.isRetry
    else { return false }
    return freshness.isStale(byAtMost: control.directives.seconds("stale-if-error"))
      || freshness.isStale(byAtMost: request.directives.seconds("stale-if-error"))
  }

  /// The statuses of a failing server, in whose place a stored response may answer.
  static let errorStatuses = [500, 502, 503, 504]
}

extension LupineError {
  /// Whether a stored response may answer in the place of this error: a gateway would answer with 502 or 504 (RFC 5861
  /// section 4), or a layer below the cache refused the exchange, such as an open circuit.
  ///
  /// Errors of trust are not hidden.
  var permitsStaleUse: Bool {
    switch kind {
    case .plugin, .malformedResponse, .proxyFailed: true
    default: isLostConnection
    }
  }
}
