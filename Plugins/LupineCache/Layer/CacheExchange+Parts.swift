import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport
import Synchronization

// The completion of a stored beginning (RFC 9111 sections 3.3 and 3.4).
extension CacheExchange {
  /// Requests the rest of a response whose beginning is stored, and answers with all of it.
  func complete(_ rules: ReuseRules) async throws(LupineError) -> TransportResponse {
    let beginning = rules.candidate
    guard let part = beginning.metadata.part, let validator = beginning.strongValidator,
      let stored = try await access.content(of: beginning.stored, nil)
    else { return try await send(.uriMiss, nil) }
    context.emitCache("requests the rest of the stored response, from byte \(part.range.upperBound) on")
    let sent = context.now()
    let request = outgoing([.range: "bytes=\(part.range.upperBound)-", .ifRange: validator.text])
    return try await sendBranch(request, .partial, rules) { (response, branch) async throws(LupineError) in
      let status = response.head.status
      let continues = status == .partialContent || status == .rangeNotSatisfiable
      guard continues || beginning.isContradicted(by: response.head, part), response.source == .origin else {
        // A whole response in the place of the rest says that the parts are of another version.
        if status == .ok, response.source == .origin { await removeParts(like: beginning) }
        branch.choose()
        return await receive(response, CacheStatus(forward: .partial), sent: sent, nil)
      }
      guard let continuation = beginning.continuation(in: response.head, part) else {
        context.emitCache("sends the request again: the rest does not continue the stored response")
        discard(response)
        await removeParts(like: beginning)
        return try await send(.partial, nil)
      }
      return try await join(beginning, stored, with: response, branch, continuation, sent: sent)
    }
  }

  private func removeParts(like part: Candidate) async {
    await access.change(orElse: "does not remove the parts") { [storage] () throws(LupineError) in
      await storage.removeParts(like: part)
    }
  }

  /// Answers with the stored beginning and the bytes that arrive, as one response.
  private func join(
    _ beginning: Candidate, _ stored: RequestBody, with response: TransportResponse, _ branch: ExchangeControl,
    _ continuation: ContentPart, sent: Date
  ) async throws(LupineError) -> TransportResponse {
    response.body.open(.stream(window: 256 << 10))
    let length = continuation.range.upperBound
    let reader = ContinuationReader(response.body, branch, count: continuation.length) { [storage] in
      // Without the parts, the next request is one for the whole.
      await storage.removeParts(like: beginning)
    }
    let bytes = RequestBody.oneShot(length: continuation.length, AsyncThrowingStream { try await reader.next() })
    let updated = StoredHead.freshened(
      beginning.head, by: response.head, isShared: storage.isShared, arrival: context.now())
    let head = StoredHead.whole(updated, length: length)
    var answerHead = head
    // A cookie is for this user alone, and is not stored.
    for cookie in response.head.headerFields[fields: .setCookie] { answerHead.headerFields.append(cookie) }
    var answer = try await context.makeResponse(answerHead, content: .sequence([stored, bytes], length: length))
    let isStored = store(head, answer.body, sent: sent, replacing: nil)
    if !isStored { leader?.recordFirst(.notShareable) }
    answer.attributes[CacheStatus.self] = CacheStatus(forward: .partial, forwardStatus: 206, isStored: isStored)
    return answer
  }
}

/// Reads the bytes of a 206 that continue a stored beginning.
///
/// Their exchange ends with the last reference to the reader.
private final class ContinuationReader: Sendable {
  private let body: ResponseBody
  private let branch: ExchangeControl
  /// The number of bytes that are still to come.
  private let missing: Atomic<Int64>
  private let onMismatch: @Sendable () async -> Void

  /// - Parameters:
  ///   - count: the number of bytes that the server's head states.
  ///   - onMismatch: called if the body has fewer or more.
  init(
    _ body: ResponseBody, _ branch: ExchangeControl, count: Int64, onMismatch: @escaping @Sendable () async -> Void
  ) {
    self.body = body
    self.branch = branch
    missing = Atomic(count)
    self.onMismatch = onMismatch
  }

  // Has no effect after the end.
  deinit { cancel() }

  /// Returns the next bytes; `nil` at the end.
  func next() async throws -> [UInt8]? {
    let bytes = try await withTaskCancellationHandler {
      try await body.next()
    } onCancel: {
      cancel()
    }
    let missing = missing.subtract(Int64(bytes?.count ?? 0), ordering: .relaxed).newValue
    guard bytes == nil ? missing == 0 : missing >= 0 else {
      await onMismatch()
      throw LupineError(
        .malformedResponse,
        "The rest of the response has another number of bytes than the server's head states; request it again.")
    }
    return bytes
  }

  private func cancel() { branch.cancel(LupineError(.cancelled, "The rest of the response is not needed any more.")) }
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

  /// The range of a 206 that continues this stored beginning to the end of the content; `nil` for any other.
  fileprivate func continuation(in other: HTTPResponse, _ part: ContentPart) -> ContentPart? {
    guard let continuation = ContentPart(of: other), !other.hasContradictoryRange,
      continuation.range.lowerBound == part.range.upperBound,
      continuation.range.upperBound == continuation.total, part.total == nil || part.total == continuation.total,
      isContinued(by: other)
    else { return nil }
    return continuation
  }

  /// Whether a response contradicts itself, or is a 200 with the validator of this beginning and another length.
  fileprivate func isContradicted(by other: HTTPResponse, _ part: ContentPart) -> Bool {
    if other.hasContradictoryRange { return true }
    guard other.status == .ok, let total = part.total, isContinued(by: other) else { return false }
    return Int64(other.headerFields[.contentLength] ?? "") ?? total != total
  }
}
