import HTTPTypes
import LupineCore
import LupineFoundation

/// One exchange with GET or HEAD.
// A class, so that its steps pass one reference.
final class CacheExchange: Sendable {
  let layer: CacheLayer
  /// The layers inside the cache, and the transport.
  let next: NextExchange
  let original: OutgoingRequest
  let request: CacheableRequest
  let key: CacheKey
  let context: TransferContext
  /// The invalidations of the URL before the request was sent.
  let invalidationMark: Invalidations.Mark
  /// The leader, if other requests wait for this one.
  let leader: Leader?

  init(
    _ original: OutgoingRequest, _ request: CacheableRequest, _ key: CacheKey, in context: TransferContext,
    _ layer: CacheLayer, next: NextExchange, since mark: Invalidations.Mark? = nil, leader: Leader? = nil
  ) {
    self.layer = layer
    self.next = next
    self.original = original
    self.request = request
    self.key = key
    self.context = context
    self.leader = leader
    invalidationMark = mark ?? layer.storage.invalidationMark(of: key)
  }

  /// The exchange as one that begins now.
  func renewed() -> CacheExchange {
    CacheExchange(original, request, key, in: context, layer, next: next, leader: leader)
  }

  var storage: CacheStorage { layer.storage }

  @inline(__always)  // See `CacheLayer.send`.
  func run() async throws(LupineError) -> TransportResponse {
    let (decision, rules) = try await decide()
    guard storage.waitLimit > .zero, mayWait(decision) else { return try await perform(decision, rules) }
    switch storage.join(responseName) {
    case .none: return try await perform(decision, rules)
    case .leads(let leader): return try await lead(leader, decision, rules)
    case .waits(let leader): return try await answer(after: leader, decision)
    }
  }

  @inline(__always)  // See `CacheLayer.send`.
  func decide() async throws(LupineError) -> (CacheDecision, ReuseRules?) {
    let found = try await select()
    let selection = found ?? Selection()
    let rules = selection.candidate.map { ReuseRules(request, $0, now: context.now()) }
    let decision = ReuseRules.decision(for: request, selection, rules)
    if found == nil, decision == .send(.uriMiss) { return (.sendAlone, nil) }
    guard decision == .complete, let beginning = selection.beginning else { return (decision, rules) }
    return (decision, ReuseRules(request, beginning, now: context.now()))
  }

  func perform(_ decision: CacheDecision, _ rules: ReuseRules?) async throws(LupineError) -> TransportResponse {
    switch (decision, rules) {
    case (.use(let isRevalidated), let rules?):
      return try await use(rules, isRevalidated: isRevalidated)
    case (.validate(let reason), let rules?): return try await validate(rules, reason)
    case (.complete, let rules?): return try await complete(rules)
    case (.send(let reason), _): return try await send(reason, rules)
    case (.sendAlone, _): return try await send(.uriMiss, nil)
    case (.refuse, _), (_, nil): return try await refuse()
    }
  }

  /// Selects a stored response, of the whole URL first; `nil` if the store fails.
  @inline(__always)
  private func select() async throws(LupineError) -> Selection? {
    var selection = Selection()
    guard let found = try await responses(for: key.exact) else { return nil }
    if !found.isEmpty { selection.add(found, for: request, storage.hash, isShared: storage.isShared) }
    if selection.candidate == nil, storage.mayHaveKeysWithoutQuery {
      guard let found = try await responses(for: key.withoutQuery) else { return nil }
      selection.add(found, for: request, storage.hash, isShared: storage.isShared)
    }
    selection.choosePart(for: request)
    return selection
  }

  /// Returns the stored responses of a key, `nil` if the store fails; waits only for a store that is not in memory, or for
  /// a commit.
  @inline(__always)
  private func responses(for key: String) async throws(LupineError) -> [ParsedResponse]? {
    if let found = storage.responsesInMemory(for: key) { return found }
    return try await access.call(orElse: "finds no response") { [storage] () throws(LupineError) in
      try await storage.responses(for: key).map { ParsedResponse($0) }
    }
  }

  /// Answers with the stored response.
  ///
  /// - Parameter collapsed: why the request that this one waited for was sent; `nil` if it did not wait.
  func use(
    _ rules: ReuseRules, isRevalidated: Bool, collapsed: CacheStatus.Forward? = nil
  ) async throws(LupineError) -> TransportResponse {
    let freshness = rules.freshness
    var status = CacheStatus(
      isHit: collapsed == nil, forward: collapsed, timeToLive: freshness.timeToLive,
      isCollapsed: collapsed != nil)
    if isRevalidated { status.detail = "stale-while-revalidate" }
    let head = rules.candidate.entry.head(age: freshness.age)
    guard let response = try await answer(rules.candidate, head, status) else {
      guard !request.wantsStoredAlone else { return try await refuse() }
      return try await send(.uriMiss, nil)
    }
    if isRevalidated { refresh(rules.candidate) }
    return response
  }

  /// Ends a request that wanted a stored response alone.
  private func refuse() async throws(LupineError) -> TransportResponse {
    context.emitCache("has no response that the request may use, and the request permits no other")
    guard request.policy != .onlyStored else {
      throw LupineError(
        .notCached,
        "The cache has no response that the request may use, and the policy onlyStored sends nothing; "
          + "use another policy, such as preferStored."
      ).about(original.summary)
    }
    // RFC 9111 section 5.2.1.7
    var response = try await context.makeResponse(
      HTTPResponse(status: .gatewayTimeout, headerFields: [.contentLength: "0"]), content: .none)
    response.attributes[CacheStatus.self] = CacheStatus(detail: "only-if-cached")
    return response
  }

  /// Answers with a stored response; `nil` if it was removed, or does not answer the request.
  func answer(
    _ candidate: Candidate, _ head: HTTPResponse, _ status: CacheStatus
  ) async throws(LupineError) -> TransportResponse? {
    try await StoredAnswer(request: request, status: status, storage: access).make(of: candidate, head, in: context)
  }

  /// The access of this exchange to the store.
  var access: StoreAccess { StoreAccess(storage: storage, context: context) }
}
