import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport

// The completion of a stored beginning (RFC 9111 sections 3.3 and 3.4).
extension CacheExchange {
  /// Requests the rest of a response whose beginning is stored, and answers with all of it.
  func complete(_ rules: ReuseRules) async throws(LupineError) -> TransportResponse {
    let beginning = rules.candidate
    guard let part = beginning.metadata.part, let validator = beginning.strongValidator,
      let stored = try await content(of: beginning.stored, nil)
    else { return try await send(.uriMiss, nil) }
    context.emitCache("requests the rest of the stored response, from byte \(part.range.upperBound) on")
    let sent = context.now()
    let request = outgoing([.range: "bytes=\(part.range.upperBound)-", .ifRange: validator.text])
    return try await sendBranch(request, .partial, rules) { (response, branch) async throws(LupineError) in
      let status = response.head.status
      let isRest = status == .partialContent || status == .rangeNotSatisfiable
      guard isRest || Self.contradicts(response.head, beginning, part), response.source == .origin else {
        // A whole response in the place of the rest says that the parts are of another version.
        if status == .ok, response.source == .origin { await removeParts(like: beginning) }
        branch.choose()
        return await receive(response, CacheStatus(forward: .partial), sent: sent, nil)
      }
      guard let rest = Self.rest(in: response.head, after: beginning, part) else {
        context.emitCache("sends the request again: the rest does not continue the stored response")
        discard(response)
        await removeParts(like: beginning)
        return try await send(.partial, nil)
      }
      return try await join(beginning, stored, with: response, branch, rest, sent: sent)
    }
  }

  private func removeParts(like part: Candidate) async {
    await change(orElse: "does not remove the parts") { [storage] () throws(LupineError) in
      await storage.removeParts(like: part)
    }
  }

  /// The range of a 206 that continues a stored beginning to the end of the content; `nil` for any other.
  static func rest(in head: HTTPResponse, after beginning: Candidate, _ part: ContentPart) -> ContentPart? {
    guard let rest = ContentPart(of: head), !head.hasContradictoryRange,
      rest.range.lowerBound == part.range.upperBound,
      rest.range.upperBound == rest.total, part.total == nil || part.total == rest.total,
      beginning.isContinued(by: head)
    else { return nil }
    return rest
  }

  /// Whether a response contradicts itself, or is a 200 with the validator of the stored beginning and another length.
  private static func contradicts(_ head: HTTPResponse, _ beginning: Candidate, _ part: ContentPart) -> Bool {
    if head.hasContradictoryRange { return true }
    guard head.status == .ok, let total = part.total, beginning.isContinued(by: head) else { return false }
    return Int64(head.headerFields[.contentLength] ?? "") ?? total != total
  }

  /// Answers with the stored beginning and the bytes that arrive, as one response.
  private func join(
    _ beginning: Candidate, _ stored: RequestBody, with response: TransportResponse, _ branch: ExchangeControl,
    _ rest: ContentPart, sent: Date
  ) async throws(LupineError) -> TransportResponse {
    response.body.open(.stream(window: 256 << 10))
    let length = rest.range.upperBound
    let remaining = RemainingBytes(response.body, branch, count: rest.length) { [storage] in
      // Without the parts, the next request is one for the whole.
      await storage.removeParts(like: beginning)
    }
    let bytes = RequestBody.oneShot(length: rest.length, remaining)
    let updated = StoredHead.freshened(
      beginning.head, by: response.head, isShared: storage.isShared, arrival: context.now())
    let head = StoredHead.whole(updated, length: length)
    var answerHead = head
    // A cookie is for this user alone, and is not stored.
    for cookie in response.head.headerFields[fields: .setCookie] { answerHead.headerFields.append(cookie) }
    var answer = try await context.makeResponse(answerHead, content: .sequence([stored, bytes], length: length))
    let isStored = store(head, answer.body, sent: sent, replacing: nil)
    if !isStored { flight?.recordNotShareable() }
    answer.attributes[CacheStatus.self] = CacheStatus(forward: .partial, forwardStatus: 206, isStored: isStored)
    return answer
  }
}

extension Candidate {
  /// Whether another response has a part of the same content: the same strong validator, and the same codings.
  func isContinued(by other: HTTPResponse) -> Bool {
    guard let validator = strongValidator else { return false }
    switch validator {
    case .tag(let text): guard EntityTag(of: other.headerFields)?.text == text else { return false }
    case .date(let text): guard other.headerFields.singleton(.lastModified) == text else { return false }
    }
    let coding = other.headerFields[.contentEncoding]
    return coding == nil || coding == head.headerFields[.contentEncoding]
  }
}
