import Foundation
import Lupine
import Synchronization

/// How a request uses the cache.
enum CacheMode: RequestOptionKey {
  case normal, bypass

  static var defaultValue: CacheMode { .normal }
}

/// The source of a response.
enum CacheStatus: ResponseAttributeKey {
  case origin, stored, stale, bypassed
}

/// Stores responses to GET requests for a short time, and refreshes older ones in the background.
struct BriefCache: Plugin {
  var lifetime = Duration.seconds(1)
  var store: any ResponseStore = MemoryStore()

  func install(in builder: inout Session.Builder) {
    builder = builder.exchangeLayer(.cache, inside: [.tracing]) { [lifetime, store] in
      CachingLayer(lifetime: lifetime, store: store)
    }
  }
}

final class CachingLayer: ExchangeLayer {
  private let lifetime: Duration
  private let store: any ResponseStore
  /// The clock of the first session that uses the cache.
  private let clock = PolicyClock()
  /// The URLs that a background task is refreshing.
  private let refreshing = Mutex<Set<String>>([])

  init(lifetime: Duration, store: any ResponseStore) {
    self.lifetime = lifetime
    self.store = store
  }

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    // One user's response is not for another one.
    let isPersonal = request.headers.contains(.authorization) || request.headers.contains(.cookie)
    guard request.method == .get, !isPersonal, request.options[CacheMode.self] != .bypass else {
      var response = try await next(request, in: context)
      response.attributes[CacheStatus.self] = .bypassed
      return response
    }
    // If the store fails, the request goes to the server.
    if let stored = try? await store.responses(for: request.url.string).first {
      let time = clock.clock(or: context.clock).now()
      let isFresh = BriefCache.arrival(of: stored).map { time - $0 <= lifetime } ?? false
      if let response = try? await answer(stored, isFresh ? .stored : .stale, in: context) {
        if !isFresh { refresh(request, in: context, next) }
        return response
      }
    }
    var response = try await next(request, in: context)
    store(response, to: request, in: context)
    response.attributes[CacheStatus.self] = .origin
    return response
  }

  /// Answers an exchange with a stored response, whose bytes go to the session's sink: memory, a file or a stream.
  private func answer(
    _ stored: StoredResponse, _ status: CacheStatus, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse? {
    guard let content = try await store.content(of: stored, in: nil) else { return nil }
    var response = try await context.makeResponse(stored.record.head, content: content, trailers: stored.trailers)
    response.attributes[CacheStatus.self] = status
    return response
  }

  /// Stores a response while it passes to its destination.
  private func store(_ response: TransportResponse, to request: OutgoingRequest, in context: TransferContext) {
    guard let record = record(response, to: request, in: context) else { return }
    let length = response.head.headerFields[.contentLength].flatMap { Int64($0) }
    let observer = StoringObserver()
    let isStarted = context.startBackgroundTask { [store, pieces = observer.pieces] _ in
      await store.store(record, length: length, from: pieces)
    }
    if isStarted { response.body.tee(into: observer) }
  }

  /// The record of a response without its content; `nil` if the response is not stored.
  private func record(
    _ response: TransportResponse, to request: OutgoingRequest, in context: TransferContext
  ) -> ResponseRecord? {
    guard response.head.status == .ok else { return nil }
    let arrival = BriefCache.metadata(clock.clock(or: context.clock).now())
    return ResponseRecord(key: request.url.string, head: response.head, metadata: arrival)
  }

  /// Refreshes a stored response, unless a task is already refreshing it.
  private func refresh(_ request: OutgoingRequest, in context: TransferContext, _ next: NextExchange) {
    let url = request.url.string
    guard refreshing.withLock({ $0.insert(url).inserted }) else { return }
    context.emit(.decided(policy: "brief cache", reason: "refreshes a stored answer in the background"))
    let isStarted = context.startBackgroundTask { [self] task in
      try? await refresh(request, by: task, in: context, next)
      refreshing.withLock { _ = $0.remove(url) }
    }
    if !isStarted { refreshing.withLock { _ = $0.remove(url) } }
  }

  private func refresh(
    _ request: OutgoingRequest, by task: BackgroundTask, in context: TransferContext, _ next: NextExchange
  ) async throws {
    let response = try await task.send(request, through: next)
    let record = record(response, to: request, in: context)
    response.body.open(.collect(limit: task.limits.responseBody))
    let end = try await response.body.end()
    guard let record, let writer = try await store.makeWriter(for: record, length: end.byteCount) else { return }
    try await writer.append(end.data)
    _ = try await writer.commit(trailers: end.trailers)
  }
}

extension BriefCache {
  /// The metadata of a response, which contain the time of its arrival.
  fileprivate static func metadata(_ time: Duration) -> Data { Data("\(time / .microseconds(1))".utf8) }

  fileprivate static func arrival(of response: StoredResponse) -> Duration? {
    Double(String(decoding: response.record.metadata, as: UTF8.self)).map { .microseconds($0) }
  }
}
