import Foundation
import HTTPTypes
import LupineCore
import LupineCurl
import LupineFixtures
import LupineMock
import LupineResumableUpload
import LupineSession
import LupineTesting
import PeerSupport
import Synchronization
import Testing
import TransportSupport

/// Uploads over sockets, to a server that resets connections at seeded bytes.
@Suite(.overEachTransport) struct UploadTransportTests {
  /// `make soak` sends more.
  private static let length = ProcessInfo.processInfo.environment["LUPINE_SOAK"] == "1" ? 64 << 20 : 4 << 20
  private static let content = Data.pattern(length)

  /// Three numbers of bytes, after which the contents of an upload are cut.
  private static func cuts(_ seed: Int) -> [Int] {
    var generator = SplitMix(seed: Seeds.first &+ UInt64(seed))
    return (0..<3).map { _ in Int.random(in: 0..<length / 3, using: &generator) }
  }

  private static func upload(
    to server: some CuttingPeer, _ version: ProtocolVersion, _ creation: UploadCreation,
    _ dialect: UploadDialect = .draft(8)
  ) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(content, to: "content")
    let progress = Mutex<[Int64]>([])
    let early = Mutex<[Int64]>([])
    let session = try Session.Builder().transport(.curl).httpVersion(version).build()
    let response =
      await session
      .upload(.file(file), to: server.url, method: .post)
      .monitor(.custom { event in if case .informational = event.kind { server.located.open() } })
      .resumable(dialect, creation).resumesAutomatically(delay: .zero)
      .uploadProgress { value in
        if value.completed > server.offset { early.withLock { $0.append(value.completed) } }
        progress.withLock { $0.append(value.completed) }
      }
      .serializingString().response
    #expect(try response.result.get() == (dialect == .tus ? "" : "complete"))
    #expect(response.metrics.version == version)
    #expect(server.received == content)
    #expect(server.faults == [])
    let values = progress.withLock { $0 }
    #expect(values.last == Int64(length))
    // An upload that is sent with its creation counts what is sent until the server names the location.
    if creation == .careful { #expect(early.withLock { $0 } == []) }
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
    await session.shutdown()
    server.stop()
  }

  @Test(arguments: 0..<25, [UploadCreation.optimistic, .careful])
  func `an upload that is cut three times arrives once and whole`(seed: Int, creation: UploadCreation) async throws {
    let server = try CuttingServer(cuts: Self.cuts(seed), length: Self.length)
    try await Self.upload(to: server, .http1_1, creation)
  }

  @Test(arguments: 0..<10)
  func `an upload to a server of tus that is cut three times arrives once and whole`(seed: Int) async throws {
    let server = try CuttingServer(cuts: Self.cuts(seed), length: Self.length, dialect: .tus)
    try await Self.upload(to: server, .http1_1, .careful, .tus)
  }

  @Test(arguments: 0..<25, [UploadCreation.optimistic, .careful])
  func `over HTTP/2 it arrives once and whole, if streams or connections end`(
    seed: Int, creation: UploadCreation
  ) async throws {
    let server = try CuttingFrameServer(
      cuts: Self.cuts(seed), length: Self.length, endsConnections: seed.isMultiple(of: 2))
    try await Self.upload(to: server, .http2, creation)
  }

  @Test(arguments: [UploadDialect.draft(8), .final, .tus], 0..<6)
  func `a loss at each step is survived`(dialect: UploadDialect, step: Int) async throws {
    let server = try CuttingServer(cuts: [5, 3], length: 11, resets: [step], dialect: dialect)
    let session = try Session.Builder().transport(.curl).build()
    let value = try await session.upload(.text("hello world"), to: server.url, method: .post)
      .resumable(dialect, .careful).resumesAutomatically(delay: .zero).serializingString().value
    #expect(value == (dialect == .tus ? "" : "complete"))
    #expect(server.received == Data("hello world".utf8))
    #expect(server.faults == [])
    await session.shutdown()
  }

  @Test func `an endless series of interim responses ends at the limit of the session`() async throws {
    let interim = "HTTP/1.1 104 Resumable\r\nUpload-Draft-Interop-Version: 8\r\nUpload-Offset: 0\r\n\r\n"
    let server = try ScriptedServer(always: [.repeat(Array(interim.utf8))])
    let session = try Session.Builder().transport(.curl).build()
    let error = await session.upload(.text("hello"), to: server.url, method: .post).resumable().serializingString()
      .response.error
    #expect(error?.kind == .limitExceeded(.informationalResponses))
    await session.shutdown()
  }

  @Test(arguments: [UploadCreation.optimistic, .careful])
  func `an offset that jumps over bytes which have not been sent ends the upload`(
    creation: UploadCreation
  ) async throws {
    // More than the buffers of the sockets take, of which the server reads one byte.
    let length = 64 << 20
    let (located, deleted) = (Gate(), Gate())
    let server = try ScriptedServer(readsBody: false) { request in
      let place: RawFields = ["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8"]
      switch request.method {
      case .head:
        return .respond(status: 204, fields: ["Upload-Offset": "\(length - 1)", "Upload-Complete": "?0"])
      case .delete: return ScriptedReply.respond(status: 204).preceded(by: .signal(deleted))
      case .post where request.fields["Upload-Complete"] == "?0":
        return [.readBody, .head(status: 201, fields: ["Location": "/uploads/1", "Content-Length": "0"])]
      case .post: return [.informational(status: 104, fields: place), .wait(located), .readBody(upTo: 1), .reset]
      default: return [.readBody(upTo: 1), .reset]
      }
    }
    let session = try Session.Builder().transport(.curl).build()
    let error = await session.upload(.bytes(Data(count: length)), to: server.url, method: .post)
      .monitor(.custom { event in if case .informational = event.kind { located.open() } })
      .resumable(.draft(8), creation).resumesAutomatically(delay: .zero).serializingString().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(error?.message.contains("\(length - 1)") == true)
    if error != nil { try await deleted.opened() }
    let methods = server.requests.map(\.method)
    #expect(methods == (creation == .careful ? [.post, .patch, .head, .delete] : [.post, .head, .delete]))
    await session.shutdown()
  }

  @Test func `over TLS each connection of an upload is judged`() async throws {
    let paths = Mutex<[String]>([])
    let created = "HTTP/1.1 201 Created\r\nLocation: /uploads/1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    let server = try TLSPeer { path, _ in
      paths.withLock { $0.append(path) }
      return TLSPeer.Reply(records: [Array(created.utf8)])
    }
    defer { server.stop() }
    struct Refusal: Error {}
    let judged = Atomic(0)
    let session = try Session.Builder().transport(.curl).certificateAuthorities(Fixture.path("Certificates/root.pem"))
      .trust(["localhost": .custom { _ in if judged.add(1, ordering: .relaxed).newValue > 1 { throw Refusal() } }])
      .build()
    let error = await session.upload(.text("hello"), to: "\(server.url)/files", method: .post)
      .resumable(.draft(8), .careful).resumesAutomatically(delay: .zero).serializingString().response.error
    #expect(error?.kind == .certificateRejected)
    #expect(judged.load(ordering: .relaxed) >= 2)
    // Neither the append nor a request for the offset.
    #expect(paths.withLock { $0 } == ["/files"])
    await session.shutdown()
  }

  @Test func `a response that claims completion before the content has arrived ends the upload`() async throws {
    // The server reads no more than one byte of the content.
    let (deleted, unread) = (Gate(), Gate())
    let server = try ScriptedServer(readsBody: false) { request in
      guard request.method == .post else {
        return ScriptedReply.respond(status: 204).preceded(by: .signal(deleted))
      }
      return [
        .informational(status: 104, fields: ["Location": "/uploads/1", "Upload-Draft-Interop-Version": "8"]),
        .head(status: 200, fields: ["Upload-Complete": "?1", "Content-Length": "4"]), .body(Array("done".utf8)),
        .readBody(upTo: 1), .wait(unread),
      ]
    }
    let session = try Session.Builder().transport(.curl).build()
    let events = Mutex<[SessionEvent.Kind]>([])
    // More than the buffers of the sockets take.
    let error = await session.upload(.bytes(Data(count: 64 << 20)), to: server.url, method: .post)
      .monitor(.custom { event in events.withLock { $0.append(event.kind) } })
      .resumable().serializingString().response.error
    #expect(error?.kind == .resumeFailed, "\(events.withLock { $0 })")
    if error != nil { try await deleted.opened() }
    await session.shutdown()
  }
}
