import HTTPTypes
import LupineCore
import LupineFoundation

// The request that goes to the server, and the handling of its response.
extension CacheExchange {
  /// Sends the request, and answers with the stored response if the server fails and that is permitted.
  func send(_ reason: CacheStatus.Forward, _ rules: ReuseRules?) async throws(LupineError) -> TransportResponse {
    context.emitCache("sends the request: " + reason.rawValue)
    let fallback = rules.flatMap { $0.permitsUseOnError ? $0 : nil }
    let sent = context.now()
    guard fallback != nil else {
      let response = try await next(outgoing(nil), in: context)
      return await receive(response, CacheStatus(forward: reason), sent: sent, rules?.candidate)
    }
    return try await sendBranch(outgoing(nil), reason, fallback) { (response, branch) async throws(LupineError) in
      branch.choose()
      return await receive(response, CacheStatus(forward: reason), sent: sent, rules?.candidate)
    }
  }

  /// Asks the server whether the stored response is current.
  func validate(_ rules: ReuseRules, _ reason: CacheStatus.Forward) async throws(LupineError) -> TransportResponse {
    context.emitCache("validates the stored response: \(reason.rawValue)")
    let candidate = rules.candidate
    let sent = context.now()
    let request = outgoing(candidate.conditions)
    return try await sendBranch(request, reason, rules) { (response, branch) async throws(LupineError) in
      guard response.head.status == .notModified, response.source == .origin else {
        branch.choose()
        return await receive(response, CacheStatus(forward: reason), sent: sent, candidate)
      }
      discard(response)
      guard candidate.isValidated(by: response.head),
        let answer = try await revalidated(candidate, by: response.head, reason, sent: sent)
      else {
        // The validator has changed meanwhile, or the store has removed the response.
        context.emitCache("sends the request again: the stored response is gone, or is not the validated one")
        return try await send(reason, nil)
      }
      return answer
    }
  }

  /// Sends a request on a branch, and uses the stored response in the place of an error if that is permitted.
  func sendBranch(
    _ request: OutgoingRequest, _ reason: CacheStatus.Forward, _ rules: ReuseRules?,
    then use: (TransportResponse, ExchangeControl) async throws(LupineError) -> TransportResponse
  ) async throws(LupineError) -> TransportResponse {
    let branch = context.control.branch()
    context.onCancel { [weak control = context.control, branch] in
      branch.cancel(control?.reason ?? LupineError(.cancelled, "The request was cancelled."))
    }
    let response: TransportResponse
    do throws(LupineError) {
      response = try await next(request, in: context.branch(branch))
    } catch {
      branch.finish()
      if let reason = context.control.reason { throw reason }
      guard error.permitsStaleUse, let stale = try await useOnError(rules, reason, nil) else { throw error }
      return stale
    }
    response.body.onEnd { [body = response.body] _ in branch.finish(after: body) }
    let isError = ReuseRules.errorStatuses.contains(response.statusCode)
    if isError, let stale = try await useOnError(rules, reason, response.statusCode) {
      discard(response)
      return stale
    }
    return try await use(response, branch)
  }

  /// Drops the body of a response that is not the answer.
  func discard(_ response: TransportResponse) {
    response.body.open(.discard(limit: context.limits.discardedBody))
  }

  /// Answers with the stored response in the place of an error (RFC 5861 section 4); `nil` if that is not permitted.
  private func useOnError(
    _ rules: ReuseRules?, _ reason: CacheStatus.Forward, _ statusCode: Int?
  ) async throws(LupineError) -> TransportResponse? {
    guard let rules, rules.permitsUseOnError else { return nil }
    let status = CacheStatus(
      forward: reason, forwardStatus: statusCode, timeToLive: rules.freshness.timeToLive,
      detail: "stale-if-error")
    return try await answer(rules.candidate, rules.candidate.entry.head(age: rules.freshness.age), status)
  }

  /// The request to send: with the conditions of the cache, and with the `Cache-Control` field of the policy for other
  /// caches.
  func outgoing(_ conditions: HTTPFields?) -> OutgoingRequest {
    var request = original
    if let conditions { for field in conditions { request.headers[field.name] = field.value } }
    let directive: String
    switch self.request.policy {
    case .reload: directive = "no-cache"
    case .validate: directive = "max-age=0"
    case .byProtocol, .preferStored, .onlyStored, .doNotStore: return request
    }
    if !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = directive }
    return request
  }

  /// Updates the stored response after a 304 and answers with it; `nil` if it was removed.
  private func revalidated(
    _ candidate: Candidate, by head: HTTPResponse, _ reason: CacheStatus.Forward, sent: Date
  ) async throws(LupineError) -> TransportResponse? {
    let revalidation = Revalidation(candidate, by: head, sent: sent, request, storage, now: context.now())
    let status = CacheStatus(forward: reason, forwardStatus: 304, isStored: revalidation.isStored)
    var answerHead = revalidation.record.head
    // A cookie is for this user alone, and is not stored.
    for cookie in head.headerFields[fields: .setCookie] { answerHead.headerFields.append(cookie) }
    let current = Candidate(ParsedResponse(candidate.stored), revalidation.entry)
    let answer = try await answer(current, answerHead, status)
    if answer != nil {
      let isShareable = revalidation.isStored && ReuseRules(request, current, now: context.now()).isShareable
      leader?.recordFirst(isShareable ? .stored : .notShareable)
      if isShareable { storage.record(isShareable: true, responseName) }
    }
    await apply(revalidation)
    return answer
  }

  /// Stores a response of the server, or updates or removes what is stored.
  func receive(
    _ response: TransportResponse, _ status: CacheStatus, sent: Date, _ candidate: Candidate?
  ) async -> TransportResponse {
    var (response, status) = (response, status)
    if let candidate, response.source == .origin { await compare(candidate, with: response.head, sent: sent) }
    status.isStored =
      response.source == .origin && store(response.head, response.body, sent: sent, replacing: candidate?.stored)
    if !status.isStored { leader?.recordFirst(.notShareable) }
    response.attributes[CacheStatus.self] = status
    return response
  }

  /// Learns about the stored response from a response to HEAD, or from a 304 to a condition of the caller.
  private func compare(_ candidate: Candidate, with head: HTTPResponse, sent: Date) async {
    var isValidated = false
    if request.method == .head, head.status == .ok, candidate.head.status == .ok, !candidate.isOfAnotherUser {
      guard let isDescribed = candidate.isDescribed(by: head) else { return }
      guard isDescribed else {
        await access.change(orElse: "does not remove the stored response") { [storage] () throws(LupineError) in
          try await storage.store.remove(candidate.stored)
        }
        return
      }
      isValidated = true
    } else if head.status == .notModified, let tag = EntityTag(of: head.headerFields) {
      isValidated = EntityTag(of: candidate.head.headerFields)?.matchesStrongly(tag) ?? false
    }
    guard isValidated else { return }
    await apply(Revalidation(candidate, by: head, sent: sent, request, storage, now: context.now()))
  }

  private func apply(_ revalidation: Revalidation) async {
    await access.change(orElse: "does not update the stored response") { [storage] () throws(LupineError) in
      try await revalidation.apply(to: storage.store)
    }
  }

  /// Stores a response while it passes to its destination; returns whether it does.
  ///
  /// - Parameter former: the stored response that was selected for the request.
  func store(_ head: HTTPResponse, _ body: ResponseBody, sent: Date, replacing former: StoredResponse?) -> Bool {
    guard request.policy != .doNotStore else { return false }
    let entry: NewEntry
    do throws(StoringRefusal) {
      entry = try NewEntry(head, to: original, request, key: key, layer, sent: sent, now: context.now())
    } catch {
      context.emitCache("does not store the response: " + error.reason)
      return false
    }
    guard let writing = storage.begin(entry.record.key, since: invalidationMark, of: key) else {
      context.emitCache("does not store the response: another request has changed the resource")
      leader?.record(.failed)
      return false
    }
    return store(entry, body, writing, replacing: former)
  }

  /// Starts the task that stores a response; returns whether it was started.
  private func store(
    _ entry: NewEntry, _ body: ResponseBody, _ writing: EntryWriting, replacing former: StoredResponse?
  ) -> Bool {
    let isShareable = ReuseRules(request, entry.candidate, now: context.now()).isShareable
    let leader = isShareable ? leader : nil
    // Before the task begins, which records the outcome.
    leader?.record(.storing(Leader.Entry(candidate: entry.candidate, mark: invalidationMark)))
    let (queue, emit) = (EntryQueue(), context.makeCacheEmitter())
    // Emitted first, because the task may emit that the store gives the response up.
    context.emitCache("stores the response")
    let isStarted = context.startBackgroundTask(isAwaited: true) { [storage, responseName] _ in
      let refusal = await storage.write(entry.record, length: entry.length, writing, replacing: former) {
        await queue.next()
      }
      queue.fail()
      if let refusal { emit?("does not store the response: \(refusal.reason)") }
      let outcome = Leader.Outcome(of: writing, refusal)
      if isShareable, case .stored = outcome { storage.record(isShareable: true, responseName) }
      leader?.record(outcome)
      if let leader { storage.end(leader, responseName) }
    }
    guard isStarted else {
      storage.end(writing, entry.record.key)
      context.emitCache("does not store the response: the session ends")
      // A waiting request of another session becomes the leader.
      leader?.record(.failed)
      return false
    }
    if !isShareable { self.leader?.record(.notShareable) }
    body.tee(into: StoringObserver(queue, writing))
    return true
  }
}
