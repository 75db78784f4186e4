import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineTesting
import PeerSupport
import Synchronization
import Testing
import TransportSupport

/// Requests over HTTP/2 that are cancelled, before or after they have been sent.
///
/// libcurl before 8.6 keeps a pointer to the handle of a cancelled request until nghttp2 takes the request from its
/// queue (curl#10936).
@Suite(.overEachTransport, .timeLimit(.minutes(2))) struct CancelledStreamTests {
  private typealias Frame = HTTP2Peer.Frame

  private static let ok: @Sendable (UInt32, Int) -> [HTTP2Peer.Step] = { stream, _ in
    [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
  }

  private static let reason = LupineError(.cancelled, "The test has changed its mind.")

  private static let secondVersion: @Sendable (inout OutgoingRequest) -> Void = { $0.options.version = .http2 }

  /// Opens its gate when it has been counted down.
  private final class Countdown: Sendable {
    let gate = Gate()
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    func decrease() { if left.subtract(1, ordering: .relaxed).newValue == 0 { gate.open() } }
  }

  /// The connection takes a part of the upload and the first of the requests, and the others wait in the client.
  @Test func `requests that are cancelled while the server does not read leave the upload alone`() async throws {
    let (count, size) = (90, 4 << 20)
    let (waiting, reading) = (Gate(), Gate())
    let peer = try HTTP2Peer(
      settings: Frame.initialWindow(1 << 29).payload, isSecured: true, returnsWindow: false, hasSmallBuffer: true,
      onFrame: { frame in
        guard frame.type == 0, !waiting.isOpen else { return [] }
        waiting.open()
        try? reading.blockUntilOpen()
        return []
      },
      script: { stream, number in
        let window: [HTTP2Peer.Step] = number == 0 ? [.send(.windowUpdate(0, by: 1 << 29))] : []
        return window + Self.ok(stream, number)
      })
    defer { peer.stop() }
    let other = try ScriptedServer(always: .respond(body: .text("x")))
    defer { other.stop() }
    let client = Client.trusting()
    // After the first response the client has the windows.
    #expect(try await client.fetch(peer.url, change: Self.secondVersion).text == "ok")
    let upload = Task {
      let body = RequestBody.bytes(Data(repeating: 0x61, count: size))
      return try await client.fetch(peer.url, method: .post, body: body, change: Self.secondVersion)
    }
    try await waiting.opened()
    // In these turns of its loop, the client sends as much of the upload as the connection takes.
    for _ in 1...200 { #expect(try await client.fetch(other.url).text == "x") }
    let (controls, begun) = ((1...count).map { _ in ExchangeControl() }, Countdown(count))
    let log = EventLog { if case .connected = $0 { begun.decrease() } }
    await withTaskGroup { group in
      for (number, control) in controls.enumerated() {
        group.addTask {
          let headers: HTTPFields = [.userAgent: String(repeating: "a", count: 12_000) + "\(number)"]
          return await client.failure(
            peer.url, headers: headers, control: control, log: log, change: Self.secondVersion)
        }
      }
      try? await begun.gate.opened()
      for control in controls { control.cancel(Self.reason) }
      for await error in group { #expect(error?.kind == .cancelled) }
    }
    reading.open()
    #expect(try await upload.value.text == "ok")
    #expect(peer.contentCount == size)
    #expect(try await client.fetch(peer.url, change: Self.secondVersion).text == "ok")
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a cancelled request leaves the others of its connection alone`() async throws {
    let (arrived, answering) = (Gate(), Gate())
    let streams = Mutex<[UInt32]>([])
    let peer = try HTTP2Peer(isSecured: true) { stream, number in
      guard (1...20).contains(number) else { return Self.ok(stream, number) }
      let all = streams.withLock { streams in
        streams.append(stream)
        return streams
      }
      guard all.count == 20 else { return [] }
      arrived.open()
      try? answering.blockUntilOpen()
      return all.flatMap { Self.ok($0, number) }
    }
    defer { peer.stop() }
    let client = Client.trusting()
    #expect(try await client.fetch(peer.url, change: Self.secondVersion).text == "ok")
    let control = ExchangeControl()
    let cancelled = Task { await client.failure(peer.url, control: control, change: Self.secondVersion) }
    try await withThrowingTaskGroup { group in
      for _ in 1...19 { group.addTask { try await client.fetch(peer.url, change: Self.secondVersion).text } }
      try await arrived.opened()
      control.cancel(Self.reason)
      #expect(await cancelled.value?.kind == .cancelled)
      answering.open()
      for try await text in group { #expect(text == "ok") }
    }
    #expect(try await client.fetch(peer.url, change: Self.secondVersion).text == "ok")
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  /// Without a response, the client does not know whether a cancelled request was sent.
  @Test func `a thousand requests without a response are cancelled, and the next one has its response`() async throws {
    let arrived = Mutex(Gate())
    let isAnswering = Mutex(false)
    let peer = try HTTP2Peer(isSecured: true) { stream, number in
      if isAnswering.withLock({ $0 }) { return Self.ok(stream, number) }
      arrived.withLock { $0 }.open()
      return []
    }
    defer { peer.stop() }
    let client = Client.trusting()
    for _ in 1...1_000 {
      let (gate, control) = (Gate(), ExchangeControl())
      arrived.withLock { $0 = gate }
      async let failure = client.failure(peer.url, control: control, change: Self.secondVersion)
      try await gate.opened()
      control.cancel(Self.reason)
      #expect(await failure?.kind == .cancelled)
    }
    isAnswering.withLock { $0 = true }
    #expect(try await client.fetch(peer.url, change: Self.secondVersion).text == "ok")
    await client.transport.shutdown()
  }
}
