import Foundation
import Lupine
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// Streams from httpbin and nginx, read by sequences and by handlers.
@Suite(.besidePeers, .overEachTransport) struct StreamTests {
  /// A line of httpbin's `/stream/N`.
  struct Line: Decodable, Sendable {
    let id: Int
  }

  @Test func `httpbin's lines of JSON are decoded one by one`() async throws {
    let session = try Peer.httpbin.session()
    var ids: [Int] = []
    for try await line in session.streamRequest("stream/20").validate().serializingDecodableLines(of: Line.self) {
      ids.append(line.id)
    }
    #expect(ids == Array(0..<20))
  }

  @Test func `a handler has httpbin's lines of JSON, and the end`() async throws {
    let session = try Peer.httpbin.session()
    let ids = Mutex<[Int]>([])
    session.streamRequest("stream/20").validate().responseStreamDecodable(of: Line.self) { stream in
      switch stream.event {
      case .stream(let line): ids.withLock { $0.append(line.id) }
      case .complete(let completion): ids.withLock { $0.append(completion.error == nil ? -1 : -2) }
      }
    }
    await session.finishRequests()
    #expect(ids.withLock { $0 } == Array(0..<20) + [-1])
  }

  @Test func `a handler has the whole of nginx's file, piece by piece`() async throws {
    let session = try Peer.nginxTLS.session()
    let count = Mutex(0)
    session.streamRequest("big.bin", window: 64 << 10).responseStream { stream in
      count.withLock { $0 += stream.value?.count ?? (stream.error == nil ? 1 : -1) }
    }
    await session.finishRequests()
    #expect(count.withLock { $0 } == (16 << 20) + 1)
  }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `who keeps the pieces of several streams at once has the bytes of each`(peer: Peer) async throws {
    let session = try peer.session()
    let whole = try await session.request("big.bin").serializingData().value
    try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
      for _ in 0..<3 {
        group.addTask {
          var kept: [[UInt8]] = []
          for try await piece in session.streamRequest("big.bin").serializingBytes() { kept.append(piece) }
          return kept
        }
      }
      for try await pieces in group {
        // `joined()` yields single bytes, which takes minutes without optimization.
        #expect(pieces.reduce(into: Data()) { $0.append(contentsOf: $1) } == whole)
      }
    }
  }

  @Test func `a handler that cancels leaves the rest at the server`() async throws {
    let session = try Peer.nginx.session()
    let log = Mutex<[LupineError?]>([])
    let request = session.streamRequest("paced/big.bin", window: 64 << 10).responseStream { stream in
      if let completion = stream.completion { return log.withLock { $0.append(completion.error) } }
      stream.cancel()
    }
    await session.finishRequests()
    #expect(log.withLock { $0.map { $0?.kind } } == [.cancelled])
    #expect(request.allMetrics.allSatisfy { $0.bytesReceived < 8 << 20 })
  }

  @Test func `a status is validated before anything is handed over`() async throws {
    let session = try Peer.nginx.session()
    let log = Mutex<[String]>([])
    session.streamRequest("status/503").validate().responseStreamString { stream in
      log.withLock { $0.append(stream.value ?? "\(stream.error?.kind ?? .other)") }
    }
    await session.finishRequests()
    #expect(log.withLock { $0 } == ["unacceptableStatusCode(503)"])
  }

  @Test func `events arrive over a real connection, and over the next one`() async throws {
    let server = try ScriptedServer { request in
      let identifier = request.fields["Last-Event-ID"]
      let text = identifier == nil ? "retry: 1\nid: 1\ndata: a\n\n" : "id: 2\ndata: b\n\n"
      return identifier == "2"
        ? .respond(status: 204)
        : .respond(fields: ["Content-Type": "text/event-stream"], body: .text(text))
    }
    defer { server.stop() }
    let session = try Peer.nginx.session()
    let log = Mutex<[String]>([])
    session.streamRequest(server.url).responseStreamEvent { stream in
      log.withLock { $0.append(stream.value?.data ?? "\(stream.error.map { "\($0)" } ?? "end")") }
    }
    await session.finishRequests()
    #expect(log.withLock { $0 } == ["a", "b", "end"])
  }
}
