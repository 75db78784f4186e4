import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineSupport
import Testing

/// A session with a cache over a mock, on a clock that stands still.
struct CacheBench {
  static let url = "https://example.com/news"
  /// A hash key.
  static let key = [UInt8](repeating: 7, count: 32)

  let mock = MockTransport()
  let clock = TestClock()
  let cache: HTTPCache
  let session: Session

  init(
    cache: HTTPCache = HTTPCache(memory: .megabytes(8)), cacher: ResponseCacher = .cache,
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) throws {
    self.cache = cache
    session = try change(Session.Builder().transport(mock).clock(clock).install(.cache(cache, cacher: cacher)))
      .build()
  }

  /// Another session with the same mock and cache.
  func another(_ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    try change(Session.Builder().transport(mock).clock(clock).install(.cache(cache))).build()
  }

  /// Answers each GET with the next of the replies.
  func stub(_ replies: MockReply..., url: String = url) { mock.stub(.get, url, .sequence(replies)) }

  /// The text of a response, and what the cache says about it.
  func get(
    _ url: String = url, _ headers: HTTPFields = [:], _ policy: CachePolicy = .byProtocol
  ) async -> Answer {
    await Answer(
      session.request(url, headers: RequestHeaders(headers)).cachePolicy(policy).serializingString().response)
  }

  /// Moves the clock after everything is stored.
  ///
  /// Otherwise a call of the store could exceed its time limit.
  func advance(by duration: Duration) async {
    await session.finishBackgroundTasks()
    clock.advance(by: duration)
  }

  /// The parts of the stored responses; `nil` for a whole one.
  var parts: [Range<Int64>?] { get async throws { try await cache.entries.map(\.part) } }

  /// Expects stored responses with these parts, once everything is stored.
  func expectParts(_ expected: [Range<Int64>?], _ location: SourceLocation = #_sourceLocation) async throws {
    await session.finishBackgroundTasks()
    let found = try await parts
    #expect(found == expected, sourceLocation: location)
  }

  var date: String { HTTPDate.text(clock.date) ?? "" }
}

/// A response, as tests compare it.
struct Answer: Equatable, Sendable, CustomStringConvertible {
  let text: String?
  let status: String?
  let code: Int?
  let head: HTTPResponse?
  let error: LupineError.Kind?

  init(_ response: DataResponse<String>) {
    text = response.value
    status = response.cacheStatus?.description
    code = response.response?.status.code
    head = response.response
    error = response.error?.kind
  }

  var description: String { "\(text ?? "none") (\(code ?? 0)): \(status ?? "no status")" }
}

extension MockReply {
  /// A text with `Cache-Control`, and with further fields.
  static func cached(_ text: String, _ control: String, _ fields: HTTPFields = [:]) -> MockReply {
    .text(text).field(.cacheControl, control).fields(fields)
  }
}
