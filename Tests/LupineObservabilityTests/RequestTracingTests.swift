import LupineSession

#if Observability
  import HTTPTypes
  import InMemoryTracing
  import LupineCore
  import LupineMock
  import LupineObservability
  import Testing
  import Tracing

  @Suite struct RequestTracingTests {
    private let tracer = InMemoryTracer()

    private func request(_ reply: MockReply, limit: Int = 0) async throws -> MockTransport {
      let bench = MockSession(reply)
      let session = try bench.session { $0.install(.tracing(tracer)).retrier(.backoff(limit: limit)) }
      _ = await session.request(MockSession.url).validate().serializingData().response
      return bench.mock
    }

    @Test func `an exchange is a span with the names of OpenTelemetry`() async throws {
      _ = try await request(.text("hello"))
      let span = try #require(tracer.finishedSpans.first)
      #expect(tracer.finishedSpans.count == 1)
      #expect(span.operationName == "GET")
      #expect(span.kind == .client)
      #expect(span.status == nil)
      #expect(Self.text(span, "url.full") == "https://u.example.com/x?token=REDACTED")
      #expect(Self.text(span, "server.address") == "u.example.com")
      #expect(Self.text(span, "http.request.method") == "GET")
      #expect(Self.number(span, "server.port") == 443)
      #expect(Self.number(span, "http.response.status_code") == 200)
      #expect(Self.number(span, "http.response.body.size") == 5)
    }

    @Test func `the span is the caller's child, and its fields are sent to the server`() async throws {
      let bench = MockSession(.text("hello"))
      let session = try bench.session { $0.install(.tracing(PropagatingTracer(base: tracer))) }
      let parent = tracer.startSpan("parent")
      await InstrumentationContext.withValue(parent.context) {
        _ = await session.request(MockSession.url).serializingData().response
      }
      parent.end()
      let span = try #require(tracer.finishedSpans.first { $0.operationName == "GET" })
      #expect(span.parentSpanID == parent.spanID)
      #expect(span.traceID == parent.traceID)
      let field = try #require(HTTPField.Name("traceparent"))
      #expect(bench.mock.requests.map { $0.headers[field] } == ["00-\(span.traceID)-\(span.spanID)-01"])
    }

    @Test func `each attempt has a span, and a failure its type`() async throws {
      _ = try await request(.fault(.connectionRefused), limit: 2)
      #expect(tracer.finishedSpans.map { Self.number($0, "http.request.resend_count") } == [nil, 1, 2])
      #expect(tracer.finishedSpans.allSatisfy { Self.text($0, "error.type") == "connectionRefused" })
      #expect(tracer.finishedSpans.allSatisfy { $0.status?.code == .error })
      #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `each exchange of a redirect has a span of its own, with its own server`() async throws {
      let mock = MockTransport()
      mock.stub(.get, "https://u.example.com/x", .redirect(to: "https://v.example.org/new?q=hidden"))
      mock.stub(.get, "https://v.example.org/new", .text("hello"))
      let session = try Session.Builder().transport(mock).install(.tracing(PropagatingTracer(base: tracer))).build()
      _ = await session.request("https://u.example.com/x").serializingData().response
      let spans = tracer.finishedSpans
      #expect(spans.map { Self.number($0, "http.response.status_code") } == [302, 200])
      #expect(spans.map { Self.text($0, "server.address") } == ["u.example.com", "v.example.org"])
      #expect(spans.map { Self.number($0, "http.request.resend_count") } == [nil, 1])
      #expect(Self.text(try #require(spans.last), "url.full") == "https://v.example.org/new?q=REDACTED")
      #expect(spans.map { $0.events.map(\.name) } == [["redirect"], []])
      let field = try #require(HTTPField.Name("traceparent"))
      #expect(mock.requests.map { $0.headers[field] } == spans.map { "00-\($0.traceID)-\($0.spanID)-01" })
    }

    @Test func `a challenge that is answered has a span of its own, and every resend counts`() async throws {
      let mock = MockTransport()
      mock.stub(.get, "/x", .sequence([.status(.serviceUnavailable), .challenge("Basic realm=x"), .text("hello")]))
      let session = try Session.Builder().transport(mock).clock(ImmediateClock()).install(.tracing(tracer))
        .retrier(.backoff(limit: 1)).build()
      let request = session.request("https://u.example.com/x").authenticate(username: "u", password: "hidden")
      _ = await request.serializingData().response
      let spans = tracer.finishedSpans
      #expect(spans.map { Self.number($0, "http.response.status_code") } == [503, 401, 200])
      #expect(spans.map { Self.number($0, "http.request.resend_count") } == [nil, 1, 2])
      #expect(spans.map { Self.text($0, "error.type") } == ["503", "401", nil])
      #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `an unknown method has a span of the general name`() async throws {
      let brew = try #require(HTTPRequest.Method("BREW"))
      let bench = MockSession(stubs: { $0.stub([brew], "/x", .text("tea")) })
      let session = try bench.session { $0.install(.tracing(tracer)) }
      _ = await session.request("https://u.example.com/x", method: brew).serializingData().response
      let span = try #require(tracer.finishedSpans.first)
      #expect(span.operationName == "HTTP")
      #expect(Self.text(span, "http.request.method") == "_OTHER")
      #expect(Self.text(span, "http.request.method_original") == "BREW")
    }

    @Test(arguments: [
      ("?token=a&q=b", "?token=REDACTED&q=REDACTED"), ("?c2VjcmV0", "?REDACTED"), ("?c2VjcmV0==", "?REDACTED"),
      ("?a=b=c&", "?a=REDACTED&"), ("?", "?"), ("", ""),
    ])
    func `the whole URL keeps the names of its query alone`(query: String, redacted: String) async throws {
      let bench = MockSession(.text("hello"))
      let session = try bench.session { $0.install(.tracing(tracer)) }
      _ = await session.request("https://u.example.com/x" + query).serializingData().response
      #expect(tracer.finishedSpans.map { Self.text($0, "url.full") } == ["https://u.example.com/x" + redacted])
    }

    @Test func `no span holds a secret`() async throws {
      for reply in [MockReply.text("hidden"), .redirect(to: "https://u:hidden8@b.example.com/?q=hidden9")] {
        _ = try await request(reply)
      }
      for span in tracer.finishedSpans {
        var texts: [String] = [span.operationName, "\(span.status as Any)"]
        span.attributes.forEach { texts.append("\($0) \($1)") }
        for event in span.events { event.attributes.forEach { texts.append("\($0) \($1)") } }
        #expect(!texts.contains { $0.contains("hidden") })
      }
    }

    private static func text(_ span: FinishedInMemorySpan, _ name: String) -> String? {
      if case .string(let text) = span.attributes.get(name) { text } else { nil }
    }

    private static func number(_ span: FinishedInMemorySpan, _ name: String) -> Int64? {
      switch span.attributes.get(name) {
      case .int64(let number): number
      case .int32(let number): Int64(number)
      default: nil
      }
    }
  }

  /// An in-memory tracer that also propagates its context by W3C Trace Context, which `InMemoryTracer` does not.
  struct PropagatingTracer: Tracer {
    let base: InMemoryTracer

    func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
      base.startSpan(
        operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line)
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
      _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
      guard let span = context.inMemorySpanContext else { return }
      injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }
  }
#endif
