import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineCurl
import LupineStreams
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// The body of a stream's response that a validator refuses at its head, over real connections.
@Suite(.overEachTransport) struct RefusedStreamTests {
  private typealias Frame = HTTP2Peer.Frame

  private struct ServiceError: Error, Decodable { var message: String }

  private static let page = #"{"message":"Wrong key."}"#
  private static let bytes = Array(page.utf8)

  /// The body in one piece, in two pieces with a cut at every position, and byte by byte.
  private static let cuts =
    [[bytes]] + (1..<bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]

  private func session(idle: Duration = .seconds(30), version: ProtocolVersion? = nil) throws -> Session {
    let builder = Session.Builder().transport(.curl).timeouts(idle: idle)
    return try (version.map { builder.httpVersion($0) } ?? builder).build()
  }

  private func failure(_ session: Session, _ url: String) async -> LupineError? {
    do throws(LupineError) {
      for try await _ in session.streamRequest(url).serializingEvents(error: ServiceError.self) {}
      return nil
    } catch {
      return error
    }
  }

  private func check(_ error: LupineError?) {
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(error?.body == Data(Self.bytes))
    #expect(error?.serviceError(as: ServiceError.self)?.message == "Wrong key.")
  }

  @Test func `its error has the body wherever that is cut, and the connection is used again`() async throws {
    let (session, gate) = (try session(), Gate())
    for pieces in Self.cuts {
      let steps = pieces.flatMap { [ScriptedReply.Step.body($0), .signal(gate)] }
      let server = try ScriptedServer(
        always: ScriptedReply([.head(status: 400, fields: ["Content-Length": String(Self.bytes.count)])] + steps))
      for _ in 1...2 { check(await failure(session, server.url)) }
      #expect(server.connectionCount == 1)
      let chunks = pieces.flatMap { [ScriptedReply.Step.chunk($0), .signal(gate)] }
      let chunked = try ScriptedServer(
        always: ScriptedReply([.head(status: 400, fields: ["Transfer-Encoding": "chunked"])] + chunks + [.endChunks()]))
      for _ in 1...2 { check(await failure(session, chunked.url)) }
      #expect(chunked.connectionCount == 1)
    }
    await session.shutdown()
  }

  @Test func `over HTTP/2 it has the body as well`() async throws {
    let session = try session(version: .http2)
    for pieces in Self.cuts {
      let peer = try HTTP2Peer { stream, _ in
        [.send(.head(stream, status: 400))]
          + pieces.enumerated().map { place, piece in
            .send(.data(stream, String(decoding: piece, as: UTF8.self), ends: place == pieces.count - 1))
          }
      }
      defer { peer.stop() }
      check(await failure(session, peer.url))
    }
    await session.shutdown()
  }

  @Test func `a server that stalls leaves the refusal at the idle timeout, with what arrived`() async throws {
    let server = try ScriptedServer(
      always: [.head(status: 400, fields: ["Content-Length": "1000"]), .body(Array("half".utf8)), .stall])
    let session = try session(idle: .milliseconds(300))
    let error = await failure(session, server.url)
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(error?.body == Data("half".utf8))
    let peer = try HTTP2Peer { stream, _ in
      [.send(.head(stream, status: 400)), .send(.data(stream, "half", ends: false))]
    }
    defer { peer.stop() }
    let second = try self.session(idle: .milliseconds(300), version: .http2)
    let over2 = await failure(second, peer.url)
    #expect(over2?.kind == .unacceptableStatusCode(400))
    #expect(over2?.body == Data("half".utf8))
    await session.shutdown()
    await second.shutdown()
  }

  @Test func `an endless body is read up to the limit`() async throws {
    let server = try ScriptedServer(always: [.head(status: 400), .repeat([0x78])])
    let session = try session()
    let error = await failure(session, server.url)
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(error?.body == Data(repeating: 0x78, count: 64 << 10))
    await session.shutdown()
  }
}
