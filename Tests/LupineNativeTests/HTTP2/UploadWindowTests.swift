import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineNative
import LupineSession
import LupineTesting
import PeerSupport
import Synchronization
import Testing
import TransportSupport

/// The windows of a request's content, which a peer opens late, shrinks or breaks (RFC 9113 section 6.9).
@Suite(.timeLimit(.minutes(1))) struct UploadWindowTests {
  private typealias Frame = HTTP2Peer.Frame

  /// The window of a stream and of the connection before SETTINGS and WINDOW_UPDATE frames change it.
  private static let firstWindow = 65_535
  private static let ping = Frame(type: 6, payload: [UInt8](repeating: 7, count: 8))
  private static let ok: @Sendable (UInt32, Int) -> [HTTP2Peer.Step] = { stream, _ in
    [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
  }

  /// The content of a client, and how much of it had arrived at each acknowledged PING frame.
  ///
  /// The acknowledgement proves that the client has processed the frames before the PING, and sent what they allow.
  private final class Content: Sendable {
    private let state = Mutex((count: 0, pieces: [Int](), atPing: [Int]()))

    var count: Int { state.withLock { $0.count } }
    /// The sizes of the DATA frames.
    var pieces: [Int] { state.withLock { $0.pieces } }
    var atPing: [Int] { state.withLock { $0.atPing } }

    /// Records a frame; returns the number of acknowledged PING frames before it, if it acknowledges one.
    func acknowledged(by frame: HTTP2Peer.Frame) -> Int? {
      state.withLock { state in
        if frame.type == 0 {
          state.count += frame.payload.count
          state.pieces.append(frame.payload.count)
        }
        guard frame.type == 6, frame.flags == 1 else { return nil }
        state.atPing.append(state.count)
        return state.atPing.count - 1
      }
    }
  }

  private func body(_ count: Int) -> RequestBody { .bytes(Data(repeating: 0x61, count: count)) }

  @Test(arguments: [false, true])
  func `an upload waits while its window is 0, and continues after SETTINGS or WINDOW_UPDATE`(
    isRaisedBySettings: Bool
  ) async throws {
    let content = Content()
    let peer = try HTTP2Peer(
      settings: Frame.initialWindow(0).payload, returnsWindow: false, onHead: { _ in [.send(Self.ping)] },
      onFrame: { frame in
        guard content.acknowledged(by: frame) != nil else { return [] }
        return [.send(isRaisedBySettings ? .initialWindow(5) : .windowUpdate(3, by: 5))]
      }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    // After the first response the client has processed the SETTINGS.
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    let response = try await client.fetch(peer.url, method: .post, body: body(5)) { $0.options.version = .http2 }
    #expect(response.text == "ok")
    #expect(content.atPing == [0])
    #expect(content.count == 5)
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a window that SETTINGS make negative stops an upload until updates make it positive`() async throws {
    let content = Content()
    let peer = try HTTP2Peer(
      returnsWindow: false,
      onFrame: { frame in
        let before = content.count
        let number = content.acknowledged(by: frame)
        if frame.type == 0, before < Self.firstWindow, content.count == Self.firstWindow {
          // Both windows are used up: the stream's becomes 10 - 65,535, then -25.
          return [
            .send(.windowUpdate(0, by: 1_000_000)), .send(.initialWindow(10)), .send(.windowUpdate(1, by: 65_500)),
            .send(Self.ping),
          ]
        }
        return switch number {
        case 0: [.send(.windowUpdate(1, by: 25)), .send(Self.ping)]
        case 1: [.send(.windowUpdate(1, by: 1)), .send(Self.ping)]
        // The acknowledgement of the PING before may precede the byte that the window allows.
        case 2: [.send(Self.ping)]
        case 3: [.send(.initialWindow(1_000_000))]
        default: []
        }
      }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    let response = try await client.fetch(peer.url, method: .post, body: body(100_000)) { $0.options.version = .http2 }
    #expect(response.text == "ok")
    #expect(content.atPing.prefix(2) == [Self.firstWindow, Self.firstWindow])
    #expect(content.atPing.last == Self.firstWindow + 1)
    #expect(content.atPing.count == 4)
    #expect(content.count == 100_000)
    await client.transport.shutdown()
  }

  @Test func `windows of one byte carry an upload byte by byte`() async throws {
    let content = Content()
    let peer = try HTTP2Peer(
      settings: Frame.initialWindow(1).payload, returnsWindow: false,
      onFrame: { frame in
        _ = content.acknowledged(by: frame)
        return frame.type == 0 ? [.send(.windowUpdate(frame.stream, by: 1))] : []
      }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    let response = try await client.fetch(peer.url, method: .post, body: body(2_000)) { $0.options.version = .http2 }
    #expect(response.text == "ok")
    #expect(content.pieces.filter { $0 > 0 } == [Int](repeating: 1, count: 2_000))
    await client.transport.shutdown()
  }

  /// Frames that break the rules for windows, and the code of the frame that answers them (RFC 9113 section 7).
  struct BrokenWindow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let frames: [HTTP2Peer.Frame]
    let code: UInt32
    /// Whether the connection ends, and not only the stream.
    let endsConnection: Bool
  }

  /// nghttp2 ends only the stream if SETTINGS make its window too large.
  static let brokenWindows = [
    BrokenWindow(
      testDescription: "a window of the stream above 2^31 - 1", frames: [.windowUpdate(1, by: 0x7FFF_FFFF)], code: 3,
      endsConnection: false),
    BrokenWindow(
      testDescription: "a window of the connection above 2^31 - 1", frames: [.windowUpdate(0, by: 0x7FFF_FFFF)],
      code: 3, endsConnection: true),
    BrokenWindow(
      testDescription: "SETTINGS that make the window of the stream too large",
      frames: [.windowUpdate(1, by: 0x7FFF_0000), .initialWindow(65_536)], code: 3, endsConnection: false),
    BrokenWindow(
      testDescription: "SETTINGS with a window above 2^31 - 1", frames: [.initialWindow(0x8000_0000)], code: 3,
      endsConnection: true),
    BrokenWindow(
      testDescription: "an update of the stream by 0", frames: [.windowUpdate(1, by: 0)], code: 1,
      endsConnection: true),
    BrokenWindow(
      testDescription: "an update of the connection by 0", frames: [.windowUpdate(0, by: 0)], code: 1,
      endsConnection: true),
  ]

  @Test(arguments: brokenWindows)
  func `a window that breaks the rules ends the upload, and the peer learns why`(broken: BrokenWindow) async throws {
    let peer = try HTTP2Peer(onHead: { _ in broken.frames.map { .send($0) } }, script: Self.ok)
    defer { peer.stop() }
    let client = Client.native()
    let gate = Gate()
    defer { gate.open() }
    // Without content the window of the stream keeps its first size.
    let error = await client.failure(
      peer.url, method: .post, body: .oneShot(GatedPieces([], gate, [[0x61]]))
    ) { $0.options.version = .http2 }
    #expect(error?.kind == .malformedResponse, "\(String(describing: error))")
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == (broken.endsConnection ? 2 : 1))
    if broken.endsConnection {
      try await peer.ended.opened()
      #expect(peer.goAways == [broken.code])
    } else {
      #expect(peer.resets == [HTTP2Peer.Reset(stream: 1, code: broken.code)])
    }
    await client.transport.shutdown()
  }

  @Test(arguments: [LupineError.Timeout.total, .attempt, .idle])
  func `a timeout ends an upload whose window stays 0, and the connection is used again`(
    timeout: LupineError.Timeout
  ) async throws {
    let waits = Gate()
    let peer = try HTTP2Peer(
      settings: Frame.initialWindow(0).payload, returnsWindow: false, onHead: { _ in [.send(Self.ping)] },
      onFrame: { frame in
        if frame.type == 6 { waits.open() }
        return []
      }, script: Self.ok)
    defer { peer.stop() }
    let clock = TestClock()
    let bound = Duration.seconds(10)
    let session = try Session.Builder().transport(NativeTransport()).httpVersion(.http2).clock(clock).timeouts(
      idle: timeout == .idle ? bound : nil, total: timeout == .total ? bound : nil,
      attempt: timeout == .attempt ? bound : nil
    ).build()
    #expect(await session.request(peer.url).serializingString().response.value == "ok")
    async let response = session.upload(Data("hello".utf8), to: peer.url).serializingData().response
    try await waits.opened()
    clock.advance(by: bound)
    #expect(await response.error?.kind == .timedOut(timeout))
    #expect(await session.request(peer.url).serializingString().response.value == "ok")
    #expect(peer.contentCount == 0)
    #expect(peer.connectionCount == 1)
    #expect(peer.resets == [HTTP2Peer.Reset(stream: 3, code: 8)])
    await session.shutdown()
  }
}
