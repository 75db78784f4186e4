import HTTPTypes
import LupineCore
import LupineFoundation

/// Answers one request with a stored response.
struct StoredAnswer: Sendable {
  let request: CacheableRequest
  let status: CacheStatus
  let storage: StoreAccess

  /// Makes the answer from a stored response: all of it, a range, 304, or a head; `nil` if it was removed, or does not
  /// answer the request.
  func make(
    of candidate: Candidate, _ head: HTTPResponse, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse? {
    let stored = candidate.stored
    let arrival = candidate.metadata.responseTime
    if let part = candidate.metadata.part {
      guard let range = candidate.range(answering: request) else { return nil }
      guard let content = try await storage.content(of: stored, candidate.offsets(range)) else { return nil }
      return try await response(StoredHead.partial(head, range, of: part.total), content, nil, in: context)
    }
    if request.hasServerCondition { return nil }
    if request.isConditional, request.isNotModified(head, arrival: arrival) {
      return try await response(StoredHead.notModified(head), .none, nil, in: context)
    }
    if request.method == .head { return try await response(head, .none, nil, in: context) }
    switch request.part(of: head, length: stored.length, arrival: arrival) {
    case .unknown: return nil
    case .whole:
      guard let content = try await storage.content(of: stored, nil) else { return nil }
      return try await response(head, content, stored.trailers, in: context)
    case .range(let range):
      guard let content = try await storage.content(of: stored, range) else { return nil }
      return try await response(StoredHead.partial(head, range, of: stored.length), content, nil, in: context)
    }
  }

  private func response(
    _ head: HTTPResponse, _ content: RequestBody, _ trailers: HTTPFields?, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    context.emitCache("answers with the stored response: \(status)")
    var response = try await context.makeResponse(head, content: content, trailers: trailers)
    response.attributes[CacheStatus.self] = status
    return response
  }
}

/// The access of one exchange to the store; a failure of the store is reported, and counts as no response.
struct StoreAccess: Sendable {
  let storage: CacheStorage
  let context: TransferContext

  /// Calls the store.
  ///
  /// If the store fails, emits an event and returns `nil`; the request continues without a stored response.
  func call<Value: Sendable>(
    orElse consequence: StaticString, _ work: @escaping @Sendable () async throws(LupineError) -> Value
  ) async throws(LupineError) -> Value? {
    let result = try await context.interruptible {
      do throws(LupineError) { return Result<Value, LupineError>.success(try await work()) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let value): return value
    case .failure(let error):
      context.emitCache("\(consequence), because the store fails: \(error.message)")
      return nil
    }
  }

  /// Changes the store after a response of the server, and ignores an error.
  ///
  /// A cancellation of the exchange ends the wait. The session then ends the request.
  func change(
    orElse consequence: StaticString, _ work: @escaping @Sendable () async throws(LupineError) -> Void
  ) async {
    _ = try? await call(orElse: consequence, work)
  }

  /// The content of a stored response; `nil` if it was removed, or the store has failed.
  func content(
    of stored: StoredResponse, _ range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody? {
    if let content = storage.immediate?.contentInMemory(of: stored, in: range) { return content }
    return try await call(orElse: "does not use the stored response") { [storage] () throws(LupineError) in
      try await storage.store.content(of: stored, in: range)
    } ?? nil
  }
}
