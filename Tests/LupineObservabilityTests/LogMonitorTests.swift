import LupineSession

#if Observability
  import HTTPTypes
  import InMemoryLogging
  import Logging
  import LupineCore
  import LupineMock
  import LupineObservability
  import Testing

  @Suite struct LogMonitorTests {
    private let handler: InMemoryLogHandler = {
      var handler = InMemoryLogHandler()
      handler.logLevel = .trace
      return handler
    }()

    private func entries(_ reply: MockReply, level: Logger.Level = .trace) async throws -> [InMemoryLogHandler.Entry] {
      var logger = Logger(label: "test") { [handler] _ in handler }
      logger.logLevel = level
      let session = try MockSession(reply).session { $0.monitor(.log(logger)).retrier(.backoff(limit: 1)) }
      _ = await session.request(MockSession.url).authenticate(username: "u", password: "hidden6").validate()
        .serializingData().response
      return handler.entries
    }

    @Test func `each event is a line with the names of OpenTelemetry`() async throws {
      let entries = try await entries(.text("hello"))
      let end = try #require(entries.first { "\($0.message)" == "finished" })
      #expect(end.level == .info)
      #expect(end.metadata["http.request.method"] == "GET")
      #expect(end.metadata["url.full"] == "https://u.example.com/x?token=REDACTED")
      #expect(end.metadata["server.address"] == "u.example.com")
      #expect(end.metadata["server.port"] == "443")
      #expect(end.metadata["http.response.status_code"] == "200")
      #expect(end.metadata["network.protocol.version"] == "1.1")
      #expect(end.metadata["http.response.body.size"] == "5")
    }

    @Test func `steps, retries and failures have different levels`() async throws {
      let entries = try await entries(.fault(.connectionRefused))
      #expect(entries.first { "\($0.message)".hasPrefix("retrying") }?.level == .notice)
      let end = try #require(entries.last { "\($0.message)".hasPrefix("finished") })
      #expect(end.level == .error)
      #expect(end.metadata["error.type"] == "connectionRefused")
      #expect(end.metadata["http.request.resend_count"] == "1")
    }

    @Test func `a response that cannot be serialized is written with its request`() async throws {
      var logger = Logger(label: "test") { [handler] _ in handler }
      logger.logLevel = .error
      let session = try MockSession(.text("no JSON")).session { $0.monitor(.log(logger)) }
      _ = await session.request(MockSession.url).serializingDecodable(Int.self).response
      let line = try #require(handler.entries.first)
      #expect(handler.entries.count == 1)
      #expect("\(line.message)".hasPrefix("not serialized into Int"))
      #expect(line.metadata["http.request.method"] == "GET")
      #expect(line.metadata["url.full"] == "https://u.example.com/x?token=REDACTED")
      #expect(line.metadata["http.response.status_code"] == "200")
      #expect(line.metadata["error.type"] == "serializationFailed")
    }

    @Test func `a decision of a policy is logged like every other decision`() {
      var logger = Logger(label: "test") { [handler] _ in handler }
      logger.logLevel = .debug
      let decided = SessionEvent.Kind.decided(policy: "circuit breaker", reason: "opens after 5 failures")
      LogMonitor(logger).receive(SessionEvent(request: RequestID(1), attempt: 1, time: .zero, kind: decided))
      #expect(handler.entries.map(\.level) == [.debug])
      #expect(handler.entries.map { "\($0.message)" } == ["the circuit breaker opens after 5 failures"])
    }

    @Test func `a logger of a high level receives the end alone`() async throws {
      #expect(try await entries(.text("hello"), level: .info).map { "\($0.message)" } == ["finished"])
    }

    @Test(arguments: ["good", "refused", "redirect", "challenge"])
    func `no line holds a secret`(name: String) async throws {
      let replies: [String: MockReply] = [
        "good": .text("hidden7"), "refused": .text("hidden7", status: .forbidden),
        "redirect": .redirect(to: "https://u:hidden8@b.example.com/?q=hidden9"),
        "challenge": .challenge("Basic realm=x"),
      ]
      let entries = try await entries(try #require(replies[name]))
      #expect(!entries.isEmpty)
      #expect(!entries.contains { "\($0.message) \($0.metadata)".contains("hidden") })
    }
  }
#endif
