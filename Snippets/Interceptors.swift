// An interceptor that changes responses: a cache that revalidates its data with entity tags.

import FoundationEssentials
import Lupine
import Synchronization

// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub([.get, .head], "https://api.example.com/users", .resource(Data("ada, grace".utf8), etag: "v1"))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
// snippet.show

/// Stores data that have an entity tag, and returns them if the server answers 304.
final class TagCache: Interceptor {
  private let kept = Mutex<[String: (tag: String, head: HTTPResponse, data: Data)]>([:])

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    guard request.method == .get else { return try await next(request) }
    let known = kept.withLock { $0[request.url.string] }
    var request = request
    if let known { request.headers[.ifNoneMatch] = known.tag }
    let response = try await next(request)
    if response.head.status == .notModified, let known {
      return TransportResponse(head: known.head, body: .complete(known.data))
    }
    if response.head.status == .ok, let tag = response.head.headerFields[.eTag], !response.body.isStreamed {
      let end = try await response.body.end()
      let isInMemory = end.byteCount == end.data.count  // the data of a download are in its file
      if isInMemory { kept.withLock { $0[request.url.string] = (tag, response.head, end.data) } }
    }
    return response
  }
}

let cache = TagCache()
for _ in 1...2 {  // the second time the server answers 304, without data
  print(try await session.request("users").interceptor(cache).validate().serializingString().value)
}

// The three kinds of parts as closures, of one request or of a builder.
let numbered = session.request("users")
  .adapter { request, session in request.headers["X-Trace"] = "\(session.baseURL?.host ?? "none")" }
  .retrier { attempt in attempt.response?.status == .serviceUnavailable ? .retry(after: .seconds(1)) : .doNotRetry }
  .interceptor { request, context, next in
    let response = try await next(request)
    print("attempt \(context.attempt): \(response.head.status)")
    return response
  }
print(try await numbered.serializingString().value)
// snippet.hide
print(mock.requests.map { $0.headers[.ifNoneMatch] ?? "none" })
