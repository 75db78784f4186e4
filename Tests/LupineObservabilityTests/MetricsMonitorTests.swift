import LupineSession

#if Observability
  import HTTPTypes
  import LupineCore
  import LupineMock
  import LupineObservability
  import MetricsTestKit
  import Testing

  @Suite struct MetricsMonitorTests {
    private let metrics = TestMetrics()
    private let server = [
      ("http.request.method", "GET"), ("server.address", "u.example.com"), ("server.port", "443"),
      ("url.scheme", "https"),
    ]

    private func request(_ stubs: MockReply) async throws {
      let session = try MockSession(stubs).session { $0.monitor(.metrics(metrics)).retrier(.backoff(limit: 1)) }
      _ = await session.request(MockSession.url).validate().serializingData().response
    }

    @Test func `an exchange is timed and its bodies measured`() async throws {
      try await request(.text("hello"))
      let dimensions = server + [("http.response.status_code", "200"), ("network.protocol.version", "1.1")]
      #expect(try metrics.expectTimer("http.client.request.duration", dimensions).values.count == 1)
      #expect(try metrics.expectRecorder("http.client.response.body.size", dimensions).values == [5])
      #expect(try metrics.expectRecorder("http.client.request.body.size", dimensions).values == [0])
    }

    @Test func `each attempt counts, and a failure has its type`() async throws {
      try await request(.text("busy", status: .serviceUnavailable))
      let dimensions =
        server + [
          ("http.response.status_code", "503"), ("network.protocol.version", "1.1"), ("error.type", "503"),
        ]
      #expect(try metrics.expectTimer("http.client.request.duration", dimensions).values.count == 2)
    }

    @Test func `no exchange is under way at the end, however it ends`() async throws {
      for reply in [MockReply.text("x"), .fault(.resetBeforeHead), .redirect(to: "/x?token=hidden1")] {
        try await request(reply)
      }
      let active = try metrics.expectMeter("http.client.active_requests", server)
      #expect(active.lastValue == 0)
      #expect(active.values.max() == 1)
    }

    @Test func `a challenge's exchange ends with its body, not with the person who is asked for a password`()
      async throws
    {
      let clock = ImmediateClock()
      let mock = MockTransport()
      mock.stub(.get, "/x", .sequence([.challenge("Basic realm=x").delay(.seconds(1)), .text("hello")]))
      let session = try Session.Builder().transport(mock).clock(clock).monitor(.metrics(metrics)).build()
      let request = session.request(MockSession.url).onChallenge { [metrics, server] _ in
        #expect(try metrics.expectMeter("http.client.active_requests", server).lastValue == 0)
        try await clock.sleep(for: .seconds(30))
        return Credential(username: "u", password: "hidden")
      }
      #expect(try await request.serializingString().value == "hello")
      let version = ("network.protocol.version", "1.1")
      let refused = server + [("http.response.status_code", "401"), version, ("error.type", "401")]
      let timer = try metrics.expectTimer("http.client.request.duration", refused)
      #expect(timer.values == [1_000_000_000])
      #expect(timer.valueInPreferredUnit(atIndex: 0) == 1)
      #expect(try metrics.expectRecorder("http.client.response.body.size", refused).values == [0])
      #expect(request.allMetrics.count == 2)
    }

    @Test func `no dimension holds a secret or a path`() async throws {
      try await request(.text("hidden"))
      let texts = metrics.timers.flatMap { $0.dimensions.map { "\($0)" } }
      #expect(!texts.isEmpty)
      #expect(!texts.contains { $0.contains("hidden") || $0.contains("/x") })
    }
  }
#endif
