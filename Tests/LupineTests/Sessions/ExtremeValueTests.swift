import Foundation
import HTTPTypes
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

/// Durations, counts and dates at their limits end in a value or in an error, and never end the process.
@Suite struct ExtremeValueTests {
  private static let url = "https://example.com/"

  static let durations: [Duration] = [
    .zero, .nanoseconds(1), .nanoseconds(-1), .seconds(Int64.max), .seconds(Int64.min),
    Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999), Duration(attoseconds: .max),
    Duration(attoseconds: .min),
  ]
  private static let counts = [Int.min, -1, 0, 1, Int.max - 1, Int.max]
  private static let numbers = [
    0, -0.0, -1, 1e-300, 1e300, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, Double(Int64.max),
  ]

  /// Sends a request on a clock whose sleeps take no time, and on the system's clock with a total timeout.
  private static func send(
    _ reply: MockReply = .sequence([.text("busy", status: .serviceUnavailable), .text("ok")]),
    _ change: (Session.Builder) -> Session.Builder = { $0 }, _ setting: (DataRequest) -> DataRequest = { $0 }
  ) async {
    for isVirtual in [true, false] {
      let mock = MockTransport()
      mock.stub(.get, url, reply)
      var builder = Session.Builder().transport(mock)
      // Without an idle timeout, whose timer would fire in each minute of the virtual centuries.
      if isVirtual { builder = builder.clock(ImmediateClock()).timeouts(idle: nil) }
      builder = change(builder)
      guard let session = try? builder.build() else { continue }
      for _ in 0..<2 {
        let request = setting(session.request(url))
        if !isVirtual { _ = request.timeouts { $0.total = .milliseconds(5) } }
        _ = await request.serializingData().response
      }
      await session.shutdown()
    }
  }

  @Test(arguments: durations) func `a timeout of any size ends no process`(_ time: Duration) async throws {
    for path in [\Timeouts.connect, \.idle, \.total, \.attempt] {
      await Self.send { builder in
        var timeouts = Timeouts()
        timeouts[keyPath: path] = time
        return builder.timeouts(
          connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total, attempt: timeouts.attempt)
      } _: {
        $0
      }
      await Self.send(.text("ok")) {
        $0
      } _: { request in
        request.timeouts { $0[keyPath: path] = time }
      }
    }
    await Self.send { $0.boundingTimes(total: time, attempt: time) }
    await Self.send(.text("ok")) {
      $0
    } _: {
      $0.deadline(ContinuousClock().now.advanced(by: time.halved))
    }
    await Self.send(.text("ok")) {
      $0
    } _: {
      $0.deadline(VirtualInstant(offset: time))
    }
    await Self.send(.text("ok")) {
      $0
    } _: {
      $0.downloadProgress(interval: time) { _ in }
    }
  }

  @Test(arguments: durations) func `a time of any size in a policy ends no process`(_ time: Duration) async throws {
    await Self.send { $0.retrier(RetryPolicy(cap: time)) }
    await Self.send { $0.retrier(RetryPolicy(limit: 3, scale: 1e300, cap: time, jitter: 0)) }
    await Self.send(.status(.serviceUnavailable).field(.retryAfter, "9223372036854775807")) {
      $0.retrier(RetryPolicy(retryAfterCap: time))
    }
    await Self.send { $0.retrier(DelayedRetrier(delay: time)) }
    await Self.send { $0.retrier(OfflineRetrier(maximumWait: time, source: ScriptedPath(.offline))) }
    await Self.send { $0.install(.hedging(after: time)) }
    await Self.send { $0.install(.rateLimit(1, per: time)) }
    await Self.send { $0.install(RateLimiter(1, per: .seconds(1), maximumWait: time)) }
    await Self.send {
      $0.install(
        AuthenticationInterceptor(
          DueAuthenticator(), credential: DueCredential(), to: .anyOrigin, refreshWindow: RefreshWindow(interval: time))
      )
    }
  }

  @Test(arguments: durations) func `a circuit that fails again and again has any break`(_ time: Duration) async throws {
    for other in Self.durations {
      let clock = ImmediateClock()
      let mock = MockTransport()
      mock.stub(.get, Self.url, .status(.serviceUnavailable))
      let breaker = CircuitBreaker(
        CircuitBreaker.Configuration {
          $0.minimumThroughput = 1
          $0.breakDuration = time
          $0.maximumBreakDuration = other
          $0.window = other
        })
      let session = try Session.Builder().transport(mock).clock(clock).install(breaker).build()
      for _ in 0..<140 {
        _ = await session.request(Self.url).serializingData().response
        try await clock.sleep(for: .seconds(1_000_000))
      }
    }
  }

  @Test(arguments: durations) func `a time of any size in a mock ends no process`(_ time: Duration) async throws {
    await Self.send(MockReply.text("ok").delay(time))
    await Self.send(MockReply.text("").chunked(["a", "b"], every: time))
    await Self.send(.fault(.dribble(every: time)))
    await Self.send(MockReply.text("ok").latency(.constant(time)))
    await Self.send(MockReply.text("ok").latency(.exponential(mean: time)))
    await Self.send(MockReply.text("ok").latency(.normal(mean: time, deviation: time)))
    for other in Self.durations where other >= time {
      await Self.send(MockReply.text("ok").latency(.uniform(time...other)))
    }
    let clock = TestClock()
    clock.advance(by: time)
    clock.advance(by: time)
    #expect(clock.now >= VirtualInstant())
    _ = [InjectedFault.Action.delay(time), .cancel(after: time), .fault(.dribble(every: time))].map(\.description)
    let mock = MockTransport()
    mock.stub(.post, Self.url, MockReply.text("ok").delay(time).continues(after: time))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    let request = session.upload(.text("a"), to: Self.url).options { $0.expectsContinue = true }
    _ = await request.serializingData().response
    _ = try? await ScriptedPath().play([.after(time, .offline)], on: ImmediateClock())
  }

  @Test(arguments: durations) func `the delays of a simulation may have any size`(_ time: Duration) async throws {
    for other in Self.durations where other >= time {
      let mix = FaultMix {
        $0.delays = time...other
        $0.delayRate = 1
        $0.cancellationRate = 0.5
      }
      _ = try? await Simulation.explore(seeds: 1...2, mix: mix) { world in
        let mock = MockTransport()
        mock.stub(.get, Self.url, .text("ok"))
        let session = try Session.Builder().transport(mock).build()
        _ = await session.request(Self.url).serializingData().response
      }
    }
  }

  @Test(arguments: durations) func `a stream or a download continues after any wait`(_ time: Duration) async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.url, .fault(.reset(afterBytes: 1)))
    // Without an idle timeout, whose timer would fire every minute of a wait of centuries.
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).timeouts(idle: nil).build()
    let events = session.streamRequest(Self.url).serializingEvents(retry: time, reconnectionLimit: 12)
    await #expect(throws: LupineError.self) { for try await _ in events {} }
    let lost = MockTransport()
    lost.stub(.get, Self.url, .fault(.connectionRefused))
    let other = try Session.Builder().transport(lost).clock(ImmediateClock()).build()
    let download = other.download(Self.url).resumesAutomatically(limit: 20, delay: time)
    #expect(await download.serializingData().response.error?.kind == .connectionRefused)
  }

  @Test(arguments: numbers) func `a retry policy and a limit take any number`(_ number: Double) async throws {
    for other in Self.numbers {
      await Self.send { $0.retrier(RetryPolicy(limit: 3, base: number, scale: other, jitter: number)) }
      await Self.send { $0.retrier(RetryPolicy(budget: RetryBudget(capacity: number, refund: other))) }
    }
    await Self.send(MockReply.text("ok").field(.contentEncoding, "gzip")) { builder in
      var limits = Limits()
      limits.decodingRatio = number
      return builder.limits(limits).standardDefaults()
    }
    await Self.send { $0.install(.circuitBreaker { $0.failureRatio = number }) }
    let progress = TransferProgress(completed: .min, total: 1, throughput: number)
    #expect(progress.description.contains("0 %"))
  }

  @Test(arguments: counts) func `a count of any size ends no process`(_ count: Int) async throws {
    await Self.send { $0.retrier(RetryPolicy(limit: min(count, 3))) }
    await Self.send { $0.install(.hedging(after: .zero, limit: count)) }
    await Self.send { $0.install(.rateLimit(count)) }
    await Self.send { $0.install(.concurrencyLimit(count, queueLimit: count)) }
    await Self.send { $0.install(.circuitBreaker { $0.minimumThroughput = count }) }
    await Self.send { $0.monitor(ExchangeLogMonitor(limit: count)) }
    await Self.send {
      var options = ConnectionOptions()
      (options.perHost, options.total) = (count, count)
      return $0.connections(options)
    }
    for path in [
      \Limits.responseFields, \.responseFieldCount, \.informationalResponses, \.trailers, \.chunkExtensions,
      \.requestFields, \.contentCodings, \.redirects,
    ] {
      await Self.send(.redirect(to: Self.url)) { builder in
        var limits = Limits()
        limits[keyPath: path] = count == .max || count == .max - 1 && path == \.redirects ? 20 : count
        return builder.limits(limits)
      }
    }
    for path in [\Limits.responseBody, \.discardedBody, \.errorBody] {
      await Self.send { builder in
        var limits = Limits()
        limits[keyPath: path] = Int64(count)
        return builder.limits(limits)
      } _: {
        $0.validate()
      }
    }
    for fault in [NetworkFault.reset(afterBytes: count), .stall(afterBytes: count), .truncated(afterBytes: count)] {
      await Self.send(.fault(fault))
    }
    if count < 1_000 { await Self.send(.fault(.oversizedField(bytes: count))) }
    if count < 1_000 { await Self.send(.fault(.compressedBomb(decodedBytes: count))) }
    await Self.send(MockReply.text("ok").bandwidth(bytesPerSecond: count))
    await Self.send(MockReply.text("ok").bandwidth(.normal(mean: count, deviation: count)))
    await Self.send(MockReply.text("ok").bandwidth(.exponential(mean: count)))
  }

  @Test(arguments: counts) func `a stream, a body and a download take any limit`(_ count: Int) async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.url, .text("a\nb\n\ndata: x\n\n"))
    mock.stub(.post, Self.url, .text("ok"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    func drain(_ sequence: some AsyncSequence<some Sendable, LupineError>) async {
      do { for try await _ in sequence {} } catch {}
    }
    await drain(session.streamRequest(Self.url).serializingBytes(limit: Int64(count)))
    await drain(session.streamRequest(Self.url).serializingLines(limit: count))
    await drain(session.streamRequest(Self.url, window: count).serializingBytes())
    await drain(
      session.streamRequest(Self.url).serializingEvents(reconnects: false, reconnectionLimit: count, limit: count))
    await drain(session.pages(of: String.self, from: Self.url, limit: count))
    _ = await session.download(Self.url).sizeLimit(Int64(count)).serializingData().response
    let file = FileManager.default.temporaryDirectory.appending(path: "lupine-extreme-\(UUID().uuidString)")
    try Data("0123456789".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for other in Self.counts {
      let body = RequestBody.file(file.path, offset: Int64(count), length: Int64(other))
      _ = await session.upload(body, to: Self.url).serializingData().response
      if let rest = try? RequestBody.text("0123456789").suffix(from: Int64(other)) {
        _ = await session.upload(rest, to: Self.url).serializingData().response
      }
    }
    for body in [
      RequestBody.stream(length: Int64(count)) { AsyncStream<[UInt8]> { $0.finish() } },
      .oneShot(length: Int64(count), AsyncStream<[UInt8]> { $0.finish() }),
    ] {
      let response = await session.upload(body, to: Self.url).serializingData().response
      #expect(count >= 0 || response.error?.kind == .invalidRequest)
    }
    let opened = try OpenFile(reading: file.path)
    #expect(try opened.data(count: Int64(count)).count <= 10)
  }

  // Numbers and not dates, because Foundation's description of an infinite date ends the process.
  @Test(arguments: [-62_135_769_600, 64_092_211_200, 1e300, -1e300, .infinity, .nan, 0x1p63])
  func `a date of the program may be any date`(_ seconds: Double) async throws {
    let date = Date(timeIntervalSince1970: seconds)
    let day = "Sun, 06 Nov 1994 08:49:37 GMT"
    let year = "Sunday, 06-Nov-94 08:49:37 GMT"
    for text in [day, year, "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT"] {
      await Self.send(
        MockReply.status(.serviceUnavailable).field(.retryAfter, text).field(.date, text)
          .field(.setCookie, "a=b; Expires=\(text); Max-Age=99999999999999999999")
      ) { $0.now { date }.standardDefaults().retrier(RetryPolicy()) }
    }
    let token = OAuthToken(accessToken: "a", expires: date)
    _ = token.requiresRefresh(at: date)
    await Self.send(.text("ok")) {
      $0.now { date }.install(
        AmazonSignature(
          service: "s3", region: "a", to: .anyOrigin,
          credential: AmazonCredential(accessKeyID: "a", secretAccessKey: "b")))
    }
  }

  @Test(arguments: [
    "0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "99999999999999999999999999999999999999", "1e300", "4294967296",
  ])
  func `a number of any size from a server ends no process`(_ number: String) async throws {
    for field in [
      (HTTPField.Name.retryAfter, number), (.setCookie, "a=b; Max-Age=\(number)"), (.age, number),
      (.contentLength, number), (.contentRange, "bytes 0-\(number)/\(number)"), (.contentRange, "bytes */\(number)"),
      (.location, "//a:\(number)/"), (.cacheControl, "max-age=\(number)"), (.date, number),
    ] {
      for status in [HTTPResponse.Status.ok, .partialContent, .serviceUnavailable, .found, .rangeNotSatisfiable] {
        await Self.send(MockReply.text("ok", status: status).field(field.0, field.1)) {
          $0.standardDefaults().retrier(RetryPolicy())
        } _: {
          $0.validate()
        }
        let mock = MockTransport()
        mock.stub(.get, Self.url, MockReply.text("ok", status: status).field(field.0, field.1))
        let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
        _ = await session.download(Self.url).sizeLimit(.max).serializingData().response
      }
    }
    let mock = MockTransport()
    mock.stub(.get, Self.url, .text("retry: \(number)\n\n", contentType: "text/event-stream"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    let events = session.streamRequest(Self.url).serializingEvents(reconnectionLimit: 12)
    await #expect(throws: LupineError.self) { for try await _ in events {} }
  }
}

extension Duration {
  /// A part of the duration that fits beside any instant of the system's clock.
  fileprivate var halved: Duration { self / 2 }
}

private struct DelayedRetrier: Retrier {
  let delay: Duration

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    attempt.retries < 2 && attempt.response?.status.code == 503 ? .retry(after: delay) : .doNotRetry
  }
}

private struct DueCredential: AuthenticationCredential {
  func requiresRefresh(at date: Date) -> Bool { true }
}

private struct DueAuthenticator: Authenticator {
  func apply(_ credential: DueCredential, to request: inout OutgoingRequest) {}
  func refresh(_ credential: DueCredential, for session: Session) async throws -> DueCredential { DueCredential() }
}
