import LupineCore
import LupineTesting
import PeerSupport
import Synchronization
import Testing
import TransportSupport

/// Connections of HTTP/2 on which a request has timed out, and which may be dead.
@Suite(.timeLimit(.minutes(1))) struct ProbeTests {
  private static let timeout = LupineError(.timedOut(.idle), "The peer sends nothing.")

  private static func answer(_ stream: UInt32) -> [HTTP2Peer.Step] {
    [.send(.head(stream, [("content-length", "2")])), .send(.data(stream, "ok", ends: true))]
  }

  /// The head, and a part of a DATA frame, in one piece: they arrive together.
  private static func beginning(_ stream: UInt32, _ count: Int) -> (sent: [UInt8], rest: [UInt8]) {
    let data = HTTP2Peer.Frame.data(stream, "ten bytes.", ends: true).bytes
    let head = HTTP2Peer.Frame.head(stream, [("content-length", "10")]).bytes
    return (head + data.prefix(count), Array(data.dropFirst(count)))
  }

  /// Receives the head of a response, and ends its request by a timeout.
  private func timeOut(_ client: Client, _ peer: HTTP2Peer) async throws {
    let control = ExchangeControl()
    var request = try OutgoingRequest(url: HTTPURL(peer.url))
    request.options.version = .http2
    let response = try await client.transport.send(request, in: client.context(control: control))
    control.cancel(Self.timeout)
    do throws(LupineError) {
      _ = try await response.body.end()
      Issue.record("The response is not complete.")
    } catch {
      #expect(error.kind == .timedOut(.idle))
    }
  }

  @Test(arguments: [0, 1, 4, 8, 9, 15])
  func `a connection that falls silent, also in the middle of a frame, carries no other request after a timeout`(
    count: Int
  ) async throws {
    let peer = try HTTP2Peer { stream, number in
      number == 0 ? [.raw(Self.beginning(stream, count).sent)] : Self.answer(stream)
    }
    defer { peer.stop() }
    let client = Client.native()
    try await timeOut(client, peer)
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test(arguments: [0, 1, 4, 8, 9, 15])
  func `a connection whose peer goes on and answers the PING carries further requests`(count: Int) async throws {
    let first = Mutex<UInt32>(0)
    let peer = try HTTP2Peer(
      onFrame: { frame in
        guard frame.type == 6, frame.flags == 0 else { return [] }
        // The rest of the frame, the answer to the PING, then the response that the other exchange waits for.
        let stream = first.withLock { $0 }
        return [
          .raw(Self.beginning(stream + 2, count).rest),
          .send(HTTP2Peer.Frame(type: 6, flags: 1, payload: frame.payload)),
        ] + Self.answer(stream)
      },
      script: { stream, number in
        if number == 0 { first.withLock { $0 = stream } }
        if number == 1 { return [.raw(Self.beginning(stream, count).sent)] }
        return number == 0 ? [] : Self.answer(stream)
      })
    defer { peer.stop() }
    let client = Client.native()
    async let other = client.fetch(peer.url) { $0.options.version = .http2 }
    while peer.requestCount < 1 { await Task.yield() }
    try await timeOut(client, peer)
    #expect(try await other.text == "ok")
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test(arguments: [false, true])
  func `a connection that is silent after a request carries no other one after a timeout`(isReused: Bool) async throws {
    let silent = isReused ? 1 : 0
    let peer = try HTTP2Peer { stream, number in number == silent ? [] : Self.answer(stream) }
    defer { peer.stop() }
    let client = Client.native()
    if isReused { #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok") }
    let control = ExchangeControl()
    async let failure = client.failure(peer.url, control: control) { $0.options.version = .http2 }
    while peer.requestCount <= silent { await Task.yield() }
    control.cancel(Self.timeout)
    #expect(await failure?.kind == .timedOut(.idle))
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test func `a request that its program cancels leaves the connection to others`() async throws {
    let peer = try HTTP2Peer { stream, number in number == 0 ? [] : Self.answer(stream) }
    defer { peer.stop() }
    let client = Client.native()
    let control = ExchangeControl()
    async let failure = client.failure(peer.url, control: control) { $0.options.version = .http2 }
    while peer.requestCount < 1 { await Task.yield() }
    control.cancel(LupineError(.cancelled, "The test has seen enough."))
    #expect(await failure?.kind == .cancelled)
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }
}
