import FoundationEssentials
import HTTPTypes
import LupineCache
import LupineCookies
import LupineCore
import LupineMock
import LupineRecording
import LupineResilience
import LupineSession
import Row

/// Measures requests through the whole pipeline over the mock, one after the other.
///
///     mock-throughput REQUESTS ROUNDS
///     mock-throughput count REQUESTS [SETTING]
///
/// Each round creates a session, sends REQUESTS requests, validates each response and reads its bytes. The rates are
/// per second of processor time of all threads, so the load of the machine does not change them.
///
/// `count` runs one round on the main thread and prints nothing. `Benchmarks/count` runs it under valgrind.
@main enum MockThroughput {
  /// The kind of request that is measured.
  private enum Setting: String, CaseIterable {
    case plain = "without the exchange log"
    case log = "with the exchange log"
    case hit = "a hit of the cache in memory"
    case miss = "a miss of the cache that is not stored"
    case rate = "a rate limit that is not reached"
    case concurrency = "a concurrency limit that is not reached"
    case breaker = "a closed circuit breaker"
    case retrier = "a retrier that has nothing to retry"
    case monitor = "a monitor of all events"
    case jar = "an empty cookie jar"
    case idle = "these six and the cache"
    case replay = "a cassette in the place of the mock"
  }

  /// Starts the measurement.
  ///
  /// This function is not `async`: the main thread would then wait in Dispatch's `sigsuspend`, and valgrind 3.19 writes
  /// to the constant mask of that call.
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.compactMap { Int($0) }.filter { $0 > 0 }) {
    case ("count", let numbers) where numbers.count == 1:
      let setting = Setting.allCases.first { "\($0)" == arguments.last } ?? .plain
      try Driver().run { _ = try await round(numbers[0], setting) }
    case (_, let numbers) where numbers.count == 2:
      try Driver().run { try await Task.detached { try await measure(requests: numbers[0], rounds: numbers[1]) }.value }
    default: throw WorkError("mock-throughput REQUESTS ROUNDS, or mock-throughput count REQUESTS [SETTING]")
    }
  }

  /// Measures the rounds of each setting.
  ///
  /// It runs off the main actor, as the code of a server does. On the main actor, each response would cost two switches
  /// between threads.
  @concurrent
  private static func measure(requests: Int, rounds: Int) async throws {
    for setting in Setting.allCases {
      var rates = Rates(setting.rawValue)
      for _ in 0..<rounds { rates.values.append(try await round(requests, setting)) }
      rates.report()
    }
  }

  /// Runs one round; returns the requests per second of processor time.
  private static func round(_ requests: Int, _ setting: Setting) async throws -> Double {
    let mock = MockTransport(keepsLog: setting == .log)
    let reply = MockReply.text("0123456789abcdef")
    mock.stub(
      .get, "https://api.example.com/v1/users/42", setting == .hit ? reply.field(.cacheControl, "max-age=86400") : reply
    )
    let transport: any Transport = setting == .replay ? replay : mock
    let session = try parts(setting, Session.Builder().transport(transport)).build()
    let before = Cost.now
    for number in 1...requests {
      let data = try await session.request("https://api.example.com/v1/users/42").validate().serializingData().value
      guard data.count == 16 else { throw LupineError(.other, "A response was not what the stub says.") }
      if number.isMultiple(of: 1_000) { mock.forgetRequests() }
    }
    let cost = Cost.now - before
    guard setting != .hit || mock.requests.count <= 1 else { throw WorkError("a response was not stored") }
    return Double(requests) / cost.processor
  }

  /// A transport that answers each request with the same recorded exchange.
  private static var replay: ReplayTransport {
    let response = Cassette.Response(
      head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain", .contentLength: "16"]),
      version: .http1_1, body: .inline(Data("0123456789abcdef".utf8)))
    let header = Cassette.Header(date: Date(), capabilities: [.networking, .tls])
    let request = Cassette.Request(url: "https://api.example.com/v1/users/42")
    var options = ReplayOptions()
    options.isRepeating = true
    return ReplayTransport(
      Cassette(header: header, entries: [Cassette.Entry(request: request, response: response)]), options: options)
  }

  /// Adds the parts of a setting to a session.
  private static func parts(_ setting: Setting, _ builder: Session.Builder) -> Session.Builder {
    switch setting {
    case .plain, .log, .replay: builder
    case .hit, .miss: builder.install(.cache(HTTPCache(memory: .megabytes(8))))
    case .rate: builder.install(.rateLimit(1_000_000))
    case .concurrency: builder.install(.concurrencyLimit(100))
    case .breaker: builder.install(.circuitBreaker())
    case .retrier: builder.retrier(.backoff(limit: 3))
    case .monitor: builder.monitor(.custom { _ in })
    case .jar: builder.install(.cookies(in: CookieJar()))
    case .idle:
      [Setting.miss, .rate, .concurrency, .breaker, .retrier, .monitor, .jar].reduce(builder) { parts($1, $0) }
    }
  }
}
