import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Answers exchanges of a session from stored responses, and stores the responses of the server.
// A class, because each exchange refers to it.
final class CacheLayer: ExchangeLayer {
  let storage: CacheStorage
  /// Decides what is stored of a response, for requests that do not set it.
  let cacher: ResponseCacher
  private let reader: RequestReader

  init(storage: CacheStorage, cacher: ResponseCacher) {
    self.storage = storage
    self.cacher = cacher
    reader = RequestReader(storage)
  }

  @inline(__always)  // Into the witness, as `Benchmarks/README.md` says.
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    storage.calls?.open(context.clock)
    guard request.method == .get || request.method == .head else { return try await pass(request, in: context, next) }
    guard !request.hasBody, let key = CacheKey(request.url, request.headers) else {
      return try await forward(request, .bypass, in: context, next)
    }
    let facts = reader.read(request, in: context)
    return try await CacheExchange(request, facts, key, in: context, self, next: next).run()
  }

  /// Sends a request that the cache does not answer.
  private func forward(
    _ request: OutgoingRequest, _ reason: CacheStatus.Forward, in context: TransferContext,
    _ next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    context.emitCache("sends the request: \(reason.rawValue)")
    var response = try await next(request, in: context)
    response.attributes[CacheStatus.self] = CacheStatus(forward: reason)
    return response
  }

  /// Sends a request with another method, and removes the responses that it makes invalid (RFC 9111 section 4.4).
  private func pass(
    _ request: OutgoingRequest, in context: TransferContext, _ next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let response = try await forward(request, .method, in: context, next)
    let isSuccess = [.successful, .redirection].contains(response.head.status.kind)
    guard isSuccess, response.source == .origin, !Self.safeMethods.contains(request.method) else { return response }
    let keys = Self.invalidated(by: request, response.head).compactMap { CacheKey($0, request.headers) }
    let failure = try await context.interruptible { [storage] in
      var failure: LupineError?
      for key in keys {
        do throws(LupineError) { try await storage.invalidate(key) } catch { failure = error }
      }
      return failure
    }
    if let failure {
      context.emitCache("does not remove what is stored of the changed resource: \(failure.message)")
    } else {
      context.emitCache("removes what is stored of \(request.url.origin)'s changed resource")
    }
    return response
  }

  /// The safe methods besides GET and HEAD (RFC 9110 section 9.2.1, RFC 10008); an unknown one counts as unsafe.
  private static let safeMethods: Set<HTTPRequest.Method> = [.options, .query, .trace]

  /// The URL of the request, and those of the same origin in `Location` and `Content-Location`.
  private static func invalidated(by request: OutgoingRequest, _ head: HTTPResponse) -> Set<HTTPURL> {
    let references = head.headerFields[values: .location] + head.headerFields[values: .contentLocation]
    let urls = references.compactMap { try? request.url.resolving(location: $0) }
    return Set([request.url] + urls.filter { $0.origin == request.url.origin })
  }
}

extension TransferContext {
  /// Emits a decision of the cache; the text is made only if a monitor receives it.
  func emitCache(_ reason: @autoclosure () -> String) {
    if isObserved { emit(.decided(policy: "cache", reason: reason())) }
  }
}

extension TransferContext {
  /// Returns a closure that emits decisions of the cache as long as the request exists; `nil` without a monitor.
  func makeCacheEmitter() -> (@Sendable (String) -> Void)? {
    guard isObserved else { return nil }
    let emit = makeEventEmitter()
    return { emit(.decided(policy: "cache", reason: $0)) }
  }
}
