import LupineCache
import LupineCore
import LupineSession
import LupineStreams
import LupineSupport
import LupineTesting
import Testing
import TransportSupport

/// Requests over sockets that wait for the response to another request.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct SocketWaitingTests {
  /// A request that has received the first half of a response, and another one that waits for it.
  private struct Stage {
    let gate = Gate()
    let server: ScriptedServer
    let session: Session
    let first: DataStreamRequest
    var bytes: ByteStream.AsyncIterator
    let waiter: Task<DataResponse<String>, Never>

    init() async throws {
      let gate = gate
      server = try ScriptedServer { _ in
        let fields: RawFields = ["Cache-Control": "max-age=60", "Content-Length": "10"]
        let halves = ["01234", "56789"].map { ScriptedReply.Step.body(Array($0.utf8)) }
        return [.head(status: 200, fields: fields), halves[0], .wait(gate), halves[1]]
      }
      let waits = Signal()
      let reasons = Reasons { if $0 == "waits for the response to another request" { waits.set() } }
      // Longer than a busy machine needs.
      let cache = HTTPCache(memory: .megabytes(8), .init { $0.collapsedWait = .seconds(600) })
      let session = try Session.Builder().transport(TestTransport.make()).monitor(reasons).install(.cache(cache))
        .build()
      self.session = session
      first = session.streamRequest(server.url)
      bytes = first.serializingBytes().makeAsyncIterator()
      var received: [UInt8] = []
      while received.count < 5, let piece = try await bytes.next() { received += piece }
      #expect(received == Array("01234".utf8))
      let request = session.request(server.url)
      waiter = Task { await request.serializingString().response }
      await waits.wait()
    }
  }

  @Test func `a request answers with the response of another one`() async throws {
    var stage = try await Stage()
    stage.gate.open()
    var received: [UInt8] = []
    while let piece = try await stage.bytes.next() { received += piece }
    #expect(received == Array("56789".utf8))
    #expect(await stage.waiter.value.value == "0123456789")
    #expect(stage.server.requests.count == 1)
    await stage.session.shutdown()
  }

  @Test func `a request takes the place of one that is cancelled`() async throws {
    let stage = try await Stage()
    stage.first.cancel()
    stage.gate.open()
    #expect(await stage.waiter.value.value == "0123456789")
    #expect(stage.server.requests.count == 2)
    await stage.session.shutdown()
  }

  @Test func `the shutdown of the session ends a request that waits`() async throws {
    let stage = try await Stage()
    await stage.session.shutdown()
    #expect(await stage.waiter.value.error?.kind == .sessionShutDown)
    try await stage.server.waitForOpenConnections(0)
  }
}
