import LupineSession

#if Observability
  import InMemoryTracing
  import LupineCore
  import LupineCurl
  import LupineFixtures
  import LupineObservability
  import Testing
  import TransportSupport
  import Tracing

  /// The trace context that a real server receives.
  @Suite(.overEachTransport) struct TracedPeerTests {
    private struct Echo: Decodable, Sendable {
      let headers: [String: String]
    }

    @Test(
      .enabled("httpbin is not running: run the tests beside Tests/Support/Peers/with-peers") {
        Peers.areRequired || Peers.httpbin != nil
      })
    func `httpbin receives the context of each request's span, a child of the caller's`() async throws {
      let tracer = InMemoryTracer()
      let session = try Session.Builder().transport(.curl).install(.tracing(PropagatingTracer(base: tracer)))
        .baseURL(try #require(Peers.httpbin)).build()
      let parent = tracer.startSpan("parent")
      let echoes = try await InstrumentationContext.withValue(parent.context) {
        [
          try await session.request("get").serializingDecodable(Echo.self).value,
          try await session.request("get").serializingDecodable(Echo.self).value,
        ]
      }
      let spans = tracer.finishedSpans
      #expect(spans.map(\.parentSpanID) == [parent.spanID, parent.spanID])
      #expect(
        echoes.map { $0.headers["Traceparent"] } == spans.map { "00-\(parent.traceID)-\($0.spanID)-01" })
      #expect(Set(spans.map(\.spanID)).count == 2)
    }
  }
#endif
