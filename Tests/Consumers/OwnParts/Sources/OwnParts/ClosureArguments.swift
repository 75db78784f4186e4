import Foundation
import Lupine
import LupineMock

// Calls every public function that takes a closure, with a closure of one expression or of several statements. The test
// is that these calls compile: Swift 6.3.1 refuses some `@Sendable` closures as arguments of generic functions.

func buildersWithClosures(_ cache: HTTPCache) {
  _ = Session.Builder().install(.cache(cache, cacher: .modify { head, _ in head }))
  _ = Session.Builder().install(
    .cache(
      cache,
      cacher: .modify { head, request in
        var head = head
        if request.url.path.hasPrefix("/private") { return nil }
        head.headerFields[.cacheControl] = "max-age=60"
        return head
      }))
  _ = Session.Builder().installDefault(.cache(cache, cacher: .modify { head, _ in head }))
  _ = Session.Builder().install(
    .circuitBreaker {
      $0.key = .custom { request in request.url.path }
    })
  _ = Session.Builder().install(.rateLimit(9, key: .custom { $0.url.path }))
  _ = Session.Builder().install(.concurrencyLimit(9, key: .custom { $0.url.path }))
  _ = Session.Builder().install(
    .resilience {
      $0.retryPolicy = nil
      $0.hedging = .hedging(after: .seconds(1))
    })
  _ = Session.Builder().onChallenge { _ in nil }
  _ = Session.Builder().adapter { request, _ in request.headers["X-Trace"] = "1" }.retrier { _ in .doNotRetry }
  _ = Session.Builder().interceptor { request, _, next in try await next(request) }
  _ = Session.Builder()
    .adapter { request, session in
      let trace = session.baseURL?.host ?? "none"
      request.headers["X-Trace"] = trace
    }
    .retrier { attempt in
      let isBusy = attempt.response?.status == .serviceUnavailable
      return isBusy ? .retry(after: .seconds(1)) : .doNotRetry
    }
    .interceptor { request, context, next in
      let response = try await next(request)
      print(context.attempt, response)
      return response
    }
  _ = Session.Builder().now { Date() }.random { 4 }
  _ = Session.Builder().cookieStore { OwnCookies() }
  _ = Session.Builder().monitor(.custom { event in print(event) })
  _ = Session.Builder().parameterEncoder(.json { JSONEncoder() })
  _ = Session.Builder().parameterEncoder(
    .json {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      return encoder
    })
  _ = Session.Builder().parameterEncoder(.custom { _, request in request })
  _ = Session.Builder().redirector(
    .modify { next, _ in
      var next = next
      next.headers[.accept] = nil
      return next
    })
  _ = Session.Builder().trust(["a.example.com": .custom { trust in print(trust) }])
  _ = Session.Builder().transport(.mock { $0.stub(.get, "/", .status(.ok)) })
  _ = Session.Builder().idempotencyKeys()
}

func requestsWithClosures(_ session: Session) async throws {
  let url = "https://a.example.com/"
  let data = session.request(url, encoder: .json { JSONEncoder() })
    .cacheResponse(using: .modify { head, _ in head })
    .redirector(.modify { next, _ in next })
    .adapter { request, _ in request.headers["X-Trace"] = nil }
    .retrier { _ in .doNotRetry }
    .interceptor { request, _, next in try await next(request) }
    .validate { _, _, _ in }
    .validate { _, _, _ in .success(()) }
    .onChallenge { _ in nil }
    .onHTTPResponse { _ in .allow }
    .onInterimResponse { _ in }
    .uploadProgress { print($0) }
    .downloadProgress { print($0) }
    .timeouts { $0.total = .seconds(1) }
    .options { $0.priority = .high }
    .monitor(.custom { print($0) })
  data.response { print($0) }
    .responseData { print($0) }
    .responseString { print($0) }
    .responseJSON { print($0) }
    .responsePropertyList { print($0) }
    .responseDecodable(of: [Int].self) { print($0) }
    .response(responseSerializer: .closure { $0.data.count }) { print($0) }
  let response = await data.serializingResponse(using: .closure { $0.data.count }).response
  _ = response.map { $0 + 1 }.tryMap { try Codes.check($0) }.mapError { $0 }.tryMapError { $0 }
  _ = try await data.serializingResponse(
    using: .closure { response in
      guard response.data.count > 0 else { throw OwnParts.Surprise(what: "nothing") }
      return String(decoding: response.data, as: UTF8.self)
    }
  ).value
  _ = session.request(url, encoder: .custom { _, request in request })
  _ = session.upload(.stream { AsyncStream<[UInt8]> { $0.finish() } }, to: url)
  _ = session.upload(multipart: { form in form.append("a", name: "b") }, to: url)
  _ = session.pages(of: [Int].self, from: "x") { $0.validate() }
  _ = await Session.withDeadline(.now + .seconds(1)) { 1 }
}

func transfersWithClosures(_ session: Session, _ cache: HTTPCache) async throws {
  let url = "https://a.example.com/"
  let download = session.download(url, to: .custom { _ in (path: "/tmp/x", options: []) }).refreshingURL { _ in url }
  download.response { print($0) }
    .responseData { print($0) }
    .responseString { print($0) }
    .responseJSON { print($0) }
    .responseDecodable(of: [Int].self) { print($0) }
    .response(responseSerializer: .closure { $0.data.count }) { print($0) }
  _ = try await download.serializingResponse(using: .closure { $0.data.count }).value
  session.streamRequest(url).responseStream { print($0) }
    .responseStreamString { print($0) }
    .responseStreamLine { print($0) }
    .responseStreamDecodable(of: Int.self) { print($0) }
    .responseStreamEvent { print($0) }
  try await cache.removeAll { $0.url.path == "/x" }
}

func testsWithClosures(_ mock: MockTransport) async throws {
  mock.stub(.get, "/x", where: [.matching("is signed") { _ in true }]) { _ in .status(.ok) }
  mock.stub(.get, "/x") { _ async in .status(.ok) }
  _ = try await withSimulation(seed: 1) { world in world.clock.now }
  _ = try await withSimulation(seed: 1) { 1 }
  try await Simulation.explore(seeds: 0..<1) { world in try world.expect(world.seed == 0, "") }
}

private enum Codes {
  static func check(_ number: Int) throws -> Int { number }
}
