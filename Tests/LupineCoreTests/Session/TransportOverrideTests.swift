import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

/// Records its name at each exchange.
private struct NamedTransport: WrappingTransport {
  let name: String
  let base: any Transport
  let notes: Notes<String>

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    notes.add(name)
    return try await base.send(request, in: context)
  }
}

/// Records its name at each exchange.
private struct NamedLayer: ExchangeLayer {
  let name: String
  let notes: Notes<String>

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    notes.add(name)
    return try await next(request, in: context)
  }
}

/// Replaces the transports of a test by a mock, as a program's own trait can.
private struct ReplacingTrait: TestTrait, TestScoping {
  @TaskLocal static var mock: MockTransport?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("replaced"))
    try await Self.$mock.withValue(mock) {
      try await TransportOverride.wrapping { _ in
        mock
      } operation: {
        try await function()
      }
    }
  }
}

extension Trait where Self == ReplacingTrait {
  fileprivate static var replacing: Self { ReplacingTrait() }
}

@Suite struct TransportOverrideTests {
  private func refusing(_ capabilities: TransportCapabilities = []) -> ClosureTransport {
    ClosureTransport(capabilities: capabilities) { _, _ throws(LupineError) in throw LupineError(.other, "") }
  }

  @Test(.replacing) func `a trait replaces the transport of every session that a test builds`() async throws {
    let wire = refusing(.networking)
    for _ in 0..<2 {
      let session = try Session.Builder().transport(wire).build()
      #expect(try await session.request(TestBed.url).serializingString().value == "replaced")
    }
    let child = Task {
      try await Session.Builder().transport(wire).build().request(TestBed.url).serializingString().value
    }
    #expect(try await child.value == "replaced")
    let mock = try #require(ReplacingTrait.mock)
    #expect(mock.requests.count == 3)
    // The session uses the monitor that the replacement makes.
    #expect(mock.exchanges.count == 3)
  }

  @Test func `without an override the transport is the builder's`() async throws {
    #expect(TransportOverride.wrap == nil)
    let bench = TestBed()
    try await TransportOverride.wrapping { [self] _ in
      refusing()
    } operation: {
      _ = try bench.session()
    }
    #expect(try await bench.session().request(TestBed.url).serializingString().value == "hello")
  }

  @Test func `the inner override wraps first, and layers stand around both`() async throws {
    let notes = Notes<String>()
    let bench = TestBed()
    try await TransportOverride.wrapping {
      NamedTransport(name: "outer", base: $0, notes: notes)
    } operation: {
      try await TransportOverride.wrapping {
        NamedTransport(name: "inner", base: $0, notes: notes)
      } operation: {
        let layered = try bench.session { $0.exchangeLayer("layer") { NamedLayer(name: "layer", notes: notes) } }
        _ = try await layered.request(TestBed.url).serializingData().value
      }
    }
    #expect(notes.all == ["layer", "outer", "inner"])
  }

  @Test func `build checks the transport that the override returns`() async throws {
    let needy = Session.Builder().transport(refusing()).requiring(.trailers)
    #expect(throws: LupineError.self) { try needy.build() }
    try await TransportOverride.wrapping { _ in
      MockTransport()
    } operation: {
      let session = try needy.build()
      // A mock takes no time, so an idle timeout on the system's clock is not needed.
      #expect(session.configuration.timeouts.idle == nil)
    }
    await TransportOverride.wrapping { [self] _ in
      refusing()
    } operation: {
      _ = #expect(throws: LupineError.self) { try TestBed().session { $0.requiring(.trailers) } }
    }
  }

  @Test func `a session that needs more than a mock imitates is built over a mock that imitates its transport`()
    async throws
  {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("mocked"))
    let needs: TransportCapabilities = [.networking, .clientCertificates, .tlsVersions, .strictFraming]
    let needy = Session.Builder().transport(refusing(needs)).requiring([.clientCertificates, .tlsVersions])
    await TransportOverride.wrapping { _ in
      mock
    } operation: {
      _ = #expect(throws: LupineError.self) { try needy.build() }
    }
    try await TransportOverride.wrapping {
      mock.imitating($0)
    } operation: {
      let session = try needy.build()
      // No connection is made, so a session on the system's clock needs no idle timeout.
      #expect(session.configuration.timeouts.idle == nil)
      let text = try await session.request(TestBed.url).serializingString().value
      #expect(text == "mocked")
    }
    #expect(mock.exchanges.count == 1)
  }

  @Test func `a wrapper forwards every requirement that it does not implement`() async throws {
    let mock = MockTransport()
    let wrapper = NamedTransport(name: "", base: mock, notes: Notes<String>())
    #expect(wrapper.capabilities == mock.capabilities)
    #expect(wrapper.isVirtual)
    #expect(wrapper.makeMonitor() is ExchangeLogMonitor)
    #expect(await wrapper.connectionPool() == nil)
    let failing = NamedTransport(
      name: "", base: FailingTransport(reason: LupineError(.other, "")), notes: Notes<String>())
    #expect(!failing.isVirtual)
    await failing.shutdown()
  }

  @Test func `an override does not supply a missing transport`() async throws {
    await TransportOverride.wrapping { _ in
      MockTransport()
    } operation: {
      _ = #expect(throws: LupineError.self) { try Session.Builder().build() }
    }
  }
}
