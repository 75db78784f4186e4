import FoundationEssentials
import Lupine
import Synchronization
import Testing
import TransportSupport

/// Events, text in pieces, interim responses and trailers from real servers.
@Suite(.besidePeers, .overEachTransport) struct EventPeerTests {
  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `nginx's events are read to its 204, and each connection is reported`(peer: Peer) async throws {
    let exchanges = ExchangeLogMonitor()
    let request = try peer.session { $0.monitor(exchanges) }.streamRequest("events")
    var events: [ServerSentEvent] = []
    for try await event in request.serializingEvents() { events.append(event) }
    #expect(
      events == [ServerSentEvent(data: "one", id: "1"), ServerSentEvent(event: "add", data: "two\nlines", id: "2")])
    #expect(request.allMetrics.count == 2)
    #expect(await request.cURLDescription().contains("Last-Event-ID: 2"))
    let log = try #require(exchanges.log(of: request.id))
    #expect(log.attempts.map { $0.hops.last?.status } == [200, 204])
    #expect(log.decisions.contains { $0.kind == .retry && $0.text.contains("ended the stream of events") })
    #expect(exchanges.logs.count == 1)
  }

  @Test func `a handler has nginx's events, and the end`() async throws {
    let seen = Mutex<[String]>([])
    let session = try Peer.nginx.session()
    session.streamRequest("events").responseStreamEvent(reconnects: false) { stream in
      seen.withLock { $0.append(stream.value?.data ?? "\(stream.error.map { "\($0)" } ?? "end")") }
    }
    await session.finishRequests()
    #expect(seen.withLock { $0 } == ["one", "two\nlines", "end"])
  }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `a handler has nginx's text piece by piece, whole in the end`(peer: Peer) async throws {
    let session = try peer.session()
    let whole = try await session.request("gzip/text.txt").serializingString().value
    let text = Mutex("")
    let status = Mutex<Int?>(nil)
    session.streamRequest("gzip/text.txt", window: 64 << 10).validate().responseStreamString { stream in
      text.withLock { $0 += stream.value ?? "" }
      if let completion = stream.completion { status.withLock { $0 = completion.response?.status.code } }
    }
    await session.finishRequests()
    #expect(status.withLock { $0 } == 200)
    #expect(whole.utf8.count > 128 << 10)
    #expect(text.withLock { $0 } == whole)
  }

  @Test func `apache2's Early Hints come before its answer`() async throws {
    let seen = Mutex<[String]>([])
    let response = await (try Peer.apacheTLS.session()).request("hello")
      .onInterimResponse { head in
        let link = HTTPField.Name("Link").flatMap { head.headerFields[$0] } ?? ""
        seen.withLock { $0.append("\(head.status.code) \(link)") }
      }
      .serializingString().response
    #expect(seen.withLock { $0 } == ["103 </style.css>; rel=preload"])
    #expect(response.response?.status.code == 200)
    #expect(response.metrics.version == .http2)
    #expect(try response.result.get() == "Hello from apache\n")
  }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `each kind of request returns nginx's trailers`(peer: Peer) async throws {
    let session = try peer.session()
    let name = try #require(HTTPField.Name("X-Trailer"))
    let response = await session.request("trailers").serializingData().response
    #expect(response.trailers?[name] == "behind")
    let stream = session.streamRequest("trailers")
    for try await _ in stream.serializingBytes() {}
    #expect(await stream.trailers?[name] == "behind")
  }

  // A download requests no content coding, so that its body has a known length; over HTTP/2, libcurl reads no trailers
  // after such a body.
  @Test func `a download over HTTP 1 returns nginx's trailers`() async throws {
    let name = try #require(HTTPField.Name("X-Trailer"))
    let download = try Peer.nginx.session().download("trailers")
    let file = try await download.serializingFile().value
    try FileManager.default.removeItem(at: file)
    #expect(await download.trailers?[name] == "behind")
  }
}
