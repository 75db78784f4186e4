import LupineCore
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

/// Requests that ask for HTTP/2 over TLS, to a server that selects no protocol (RFC 7301).
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct NegotiationTests {
  @Test func `the connection carries HTTP 1, and is reused`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    let (client, log) = (Client.trusting(), EventLog())
    for _ in 1...3 {
      let response = try await client.fetch("https://localhost:\(relay.port)/", log: log) {
        $0.options.version = .http2
      }
      #expect(response.text == "ok")
      #expect(response.end.metrics.version == .http1_1)
    }
    #expect(log.reused == [false, true, true])
    await client.transport.shutdown()
  }

  @Test func `exchanges that have waited for a shared connection make connections of their own`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    let client = Client.trusting()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await client.fetch("https://localhost:\(relay.port)/") { $0.options.version = .http2 }.text
        }
      }
      for try await text in group { #expect(text == "ok") }
    }
    #expect(server.requests.count == 20)
    await client.transport.shutdown()
  }

  @Test func `a request that asks for HTTP 2 does not use a connection that was not offered it`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    let (client, log) = (Client.trusting(), EventLog())
    for version in [ProtocolVersion.http1_1, .http2, .http2] {
      _ = try await client.fetch("https://localhost:\(relay.port)/", log: log) { $0.options.version = version }
    }
    #expect(log.reused == [false, false, true])
    await client.transport.shutdown()
  }

  @Test func `a connection of HTTP 1 ends after a request that asks for its end`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    let (client, log) = (Client.trusting(), EventLog())
    for _ in 1...2 {
      _ = try await client.fetch("https://localhost:\(relay.port)/", log: log) {
        $0.options.version = .http2
        $0.headers[.connection] = "close"
      }
    }
    #expect(log.reused == [false, false])
    await client.transport.shutdown()
  }
}
