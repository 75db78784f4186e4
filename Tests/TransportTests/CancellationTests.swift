import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineCurl
import LupineTesting
import Synchronization
import Testing
import TransportSupport

@Suite(.overEachTransport) struct CancellationTests {
  private static let reason = LupineError(.cancelled, "The test has changed its mind.")

  @Test func `an exchange cancelled before it begins sends nothing`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let control = ExchangeControl()
    control.cancel(Self.reason)
    let error = await sendFailure(client, server.url, control)
    #expect(error?.kind == .cancelled)
    #expect(server.connectionCount == 0)
    await client.transport.shutdown()
  }

  @Test func `an exchange cancelled before its head ends at once`() async throws {
    let server = try ScriptedServer(always: .stallBeforeHead)
    let client = Client()
    let control = ExchangeControl()
    async let failure = sendFailure(client, server.url, control)
    try await server.waitForRequest()
    control.cancel(Self.reason)
    #expect(await failure?.message == Self.reason.message)
    #expect(await failure?.metrics?.remoteAddress == "127.0.0.1:\(server.port)")
    try await server.waitForOpenConnections(0)
    await client.transport.shutdown()
  }

  @Test func `an exchange cancelled in its body fails the body`() async throws {
    let server = try ScriptedServer(always: .stall(afterBytes: 3))
    let client = Client()
    let control = ExchangeControl()
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL(server.url)), in: client.context(control: control, sink: .stream(window: 10)))
    #expect(try await response.body.next() == Array("hel".utf8))
    control.cancel(Self.reason)
    let error = await #expect(throws: LupineError.self) { try await response.body.next() }
    #expect(error?.kind == .cancelled)
    #expect(error?.metrics?.bytesReceived == 3)
    try await server.waitForOpenConnections(0)
    await client.transport.shutdown()
  }

  @Test func `a cancellation ends the right one of two exchanges whose numbers are a thousand apart`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { request in
      switch request.path {
      case "/first": .stallBeforeHead
      case "/last": ScriptedReply.respond(body: .text("ok")).preceded(by: .wait(gate))
      default: .respond()
      }
    }
    let client = Client()
    let control = ExchangeControl()
    async let first = sendFailure(client, server.url + "/first", control)
    try await server.waitForRequest()
    // Makes 1,023 exchanges, so that the numbers of the first exchange and of the last one differ by 1,024.
    for _ in 1..<1_024 { _ = try await client.fetch(server.url) }
    async let last = client.fetch(server.url + "/last").text
    try await server.waitForRequest(count: 1_025)
    control.cancel(Self.reason)
    #expect(await first?.kind == .cancelled)
    gate.open()
    #expect(try await last == "ok")
    await client.transport.shutdown()
  }

  @Test func `an exchange cancelled in the queue leaves it`() async throws {
    let gate = Gate()
    let (client, server) = try Self.withOneConnection(answersAfter: gate)
    async let first = client.fetch(server.url + "/first").text
    try await server.waitForRequest()
    let control = ExchangeControl()
    let queued = Gate()
    async let second = sendFailure(
      client, server.url + "/second", control, EventLog { if case .queued = $0 { queued.open() } })
    try await queued.opened()
    let alsoQueued = Gate()
    let log = EventLog { if case .queued = $0 { alsoQueued.open() } }
    async let third = client.fetch(server.url + "/third", log: log).text
    try await alsoQueued.opened()
    control.cancel(Self.reason)
    #expect(await second?.kind == .cancelled)
    gate.open()
    #expect(try await first == "ok")
    #expect(try await third == "ok")
    #expect(server.requests.map(\.target) == ["/first", "/third"])
    await client.transport.shutdown()
  }

  @Test func `a body is opened when the limit of connections admits its exchange, and its error is measured`()
    async throws
  {
    let gate = Gate()
    let (client, server) = try Self.withOneConnection(answersAfter: gate)
    async let first = client.fetch(server.url + "/first").text
    try await server.waitForRequest()
    let queued = Gate()
    let isOpened = Mutex(false)
    let body = RequestBody(length: nil, isReplayable: true) { (_) throws(LupineError) in
      isOpened.withLock { $0 = true }
      throw LupineError(.bodyFailed, "The body does not open.")
    }
    async let second = sendFailure(
      client, server.url + "/second", ExchangeControl(), EventLog { if case .queued = $0 { queued.open() } },
      method: .post, body: body)
    try await queued.opened()
    #expect(!isOpened.withLock { $0 })
    gate.open()
    let error = await second
    #expect(error?.kind == .bodyFailed)
    #expect(error?.metrics != nil)
    #expect(isOpened.withLock { $0 })
    #expect(try await first == "ok")
    await client.transport.shutdown()
  }

  @Test func `an exchange cancelled while its body is awaited releases the body`() async throws {
    let server = try ScriptedServer(readsBody: false) { _ in [.readBody, .stall] }
    let client = Client()
    let control = ExchangeControl()
    let cancelled = Gate()
    let body = RequestBody(length: nil, isReplayable: true) { (_) throws(LupineError) in PendingReader(cancelled) }
    async let failure = sendFailure(client, server.url, control, method: .post, body: body)
    try await server.waitForConnection()
    control.cancel(Self.reason)
    #expect(await failure?.kind == .cancelled)
    try await cancelled.opened()
    await client.transport.shutdown()
  }

  /// A client with at most one connection to a host, and a server that responds when the gate is open.
  private static func withOneConnection(answersAfter gate: Gate) throws -> (Client, ScriptedServer) {
    var configuration = CurlTransport.Configuration()
    configuration.network.connectionsPerHost = 1
    let reply = ScriptedReply.respond(body: .text("ok")).preceded(by: .wait(gate))
    return (Client(configuration), try ScriptedServer(always: reply))
  }

  private func sendFailure(
    _ client: Client, _ url: String, _ control: ExchangeControl, _ log: EventLog = EventLog(),
    method: HTTPRequest.Method = .get, body: RequestBody = .none
  ) async -> LupineError? {
    do throws(LupineError) {
      let request = OutgoingRequest(url: try HTTPURL(url), method: method, body: body)
      _ = try await client.transport.send(request, in: client.context(control: control, log: log))
      return nil
    } catch {
      return error
    }
  }
}

/// A reader that never returns bytes.
private final class PendingReader: BodyReader {
  let length: Int64? = nil
  private let cancelled: Gate

  init(_ cancelled: Gate) { self.cancelled = cancelled }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead { .pending }

  func cancel() { cancelled.open() }
}
