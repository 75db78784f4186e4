import HTTPTypes
import LupineCore
import LupineFoundation

// The refresh of a stale response that was used (RFC 5861 section 3).
extension CacheExchange {
  /// Refreshes a stored response in the background, unless it is being refreshed already.
  func refresh(_ candidate: Candidate) {
    let name = candidate.stored.record.key + "\n" + candidate.stored.record.variant
    guard storage.beginRefresh(name) else { return }
    context.emitCache("refreshes the stored response in the background")
    let refresh = BackgroundRefresh(
      layer: layer, next: next, original: unconditional(candidate), request: request, candidate: candidate, key: key,
      leaseName: responseName.text, emit: context.makeCacheEmitter())
    let isStarted = context.startBackgroundTask { [storage] task in
      await refresh.run(task)
      storage.endRefresh(name)
    }
    if !isStarted { storage.endRefresh(name) }
  }

  /// The request without the caller's conditions; without its range as well, if the whole response is stored.
  private func unconditional(_ candidate: Candidate) -> OutgoingRequest {
    var request = original
    for name: HTTPField.Name in [.ifNoneMatch, .ifModifiedSince, .ifRange] { request.headers[name] = nil }
    if candidate.metadata.part == nil { request.headers[.range] = nil }
    request.method = .get
    return request
  }
}

/// Refreshes one stored response; holds neither the session nor the request's context.
struct BackgroundRefresh: Sendable {
  let layer: CacheLayer
  let next: NextExchange
  let original: OutgoingRequest
  let request: CacheableRequest
  let candidate: Candidate
  let key: CacheKey
  /// The name of the response among those of all machines that share the store.
  let leaseName: String
  /// Emits a decision while the request that used the response exists; `nil` without a monitor.
  let emit: (@Sendable (String) -> Void)?

  /// Refreshes the response, unless another machine or another request does.
  func run(_ task: BackgroundTask) async {
    guard let leases = layer.storage.leases else { return await refresh(task) }
    let clock = SessionClock(task.clock)
    do throws(LupineError) {
      let end = clock.now() + layer.storage.waitLimit
      guard let lease = try await leases.acquire(leaseName, until: end, on: clock) else { return }
      await refresh(task)
      await leases.release(lease)
    } catch {
      // A store that cannot give leases does not prevent the refresh.
      if !Task.isCancelled { await refresh(task) }
    }
  }

  private func refresh(_ task: BackgroundTask) async {
    let (sent, mark) = (task.now(), layer.storage.invalidationMark(of: key))
    var outgoing = original
    for field in candidate.conditions ?? [:] { outgoing.headers[field.name] = field.value }
    guard let response = try? await task.send(outgoing, through: next) else { return }
    guard response.source == .origin, response.head.status != .notModified else {
      response.body.open(.discard(limit: task.limits.discardedBody))
      guard response.source == .origin, candidate.isValidated(by: response.head) else { return }
      let revalidation = Revalidation(
        candidate, by: response.head, sent: sent, request, layer.storage, now: task.now())
      // If the store fails, the stored response stays unchanged and is validated again later.
      do throws(LupineError) { try await revalidation.apply(to: layer.storage.store) } catch {
        emit?("does not update the stored response, because the store fails: \(error.message)")
      }
      return
    }
    let entry = try? NewEntry(response.head, to: original, request, key: key, layer, sent: sent, now: task.now())
    guard let entry, !ReuseRules.errorStatuses.contains(response.statusCode) else {
      return response.body.open(.discard(limit: task.limits.discardedBody))
    }
    guard let writing = layer.storage.begin(entry.record.key, since: mark, of: key) else {
      return response.body.open(.discard(limit: task.limits.discardedBody))
    }
    response.body.open(.stream(window: 256 << 10))
    let refusal = await layer.storage.write(entry.record, length: entry.length, writing, replacing: candidate.stored) {
      await Self.next(of: response.body)
    }
    if let refusal { emit?("does not store the response: \(refusal.reason)") }
  }

  /// The next bytes of a response, or its end.
  private static func next(of body: ResponseBody) async -> EntryQueue.Piece {
    do throws(LupineError) {
      if let bytes = try await body.next() { return .bytes(Data(bytes)) }
      return .end(try await body.end().trailers)
    } catch {
      return .failure(StoringRefusal(error))
    }
  }
}
