import LupineCache
import LupineCore
import LupineSession
import LupineStreams
import LupineTesting
import Testing
import TransportSupport

/// Responses over sockets whose first request is cancelled while others read them.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct SocketTransferTests {
  /// Two requests of a session that have received the first half of one response.
  private struct Stage {
    let gate: Gate
    let server: ScriptedServer
    let session: Session
    let requests: [DataStreamRequest]
    var bytes: [ByteStream.AsyncIterator] = []

    init() async throws {
      let gate = Gate()
      self.gate = gate
      server = try ScriptedServer { _ in
        let fields: RawFields = ["Cache-Control": "max-age=60", "Content-Length": "10"]
        let halves = ["01234", "56789"].map { ScriptedReply.Step.body(Array($0.utf8)) }
        return [.head(status: 200, fields: fields), halves[0], .wait(gate), halves[1]]
      }
      let cache = HTTPCache(memory: .megabytes(8))
      let session = try Session.Builder().transport(TestTransport.make()).install(.cache(cache)).build()
      self.session = session
      requests = [session.streamRequest(server.url), session.streamRequest(server.url)]
      for request in requests {
        var bytes = request.serializingBytes().makeAsyncIterator()
        var received: [UInt8] = []
        while received.count < 5, let piece = try await bytes.next() { received += piece }
        #expect(received == Array("01234".utf8))
        self.bytes.append(bytes)
      }
    }

    mutating func expectCancellation(of number: Int) async {
      requests[number].cancel()
      let error = await #expect(throws: LupineError.self) { try await bytes[number].next() }
      #expect(error?.kind == .cancelled)
    }
  }

  @Test func `the transfer goes on for the others`() async throws {
    var stage = try await Stage()
    await stage.expectCancellation(of: 0)
    stage.gate.open()
    var received: [UInt8] = []
    while let piece = try await stage.bytes[1].next() { received += piece }
    #expect(received == Array("56789".utf8))
    // The response was stored.
    await stage.session.finishBackgroundTasks()
    let later = await stage.session.request(stage.server.url).serializingString().response
    #expect(later.value == "0123456789")
    #expect(stage.server.requests.count == 1)
    await stage.session.shutdown()
  }

  @Test func `the transfer ends with its last reader`() async throws {
    var stage = try await Stage()
    await stage.expectCancellation(of: 0)
    #expect(stage.server.openConnectionCount == 1)
    await stage.expectCancellation(of: 1)
    try await stage.server.waitForOpenConnections(0)
    #expect(stage.server.requests.count == 1)
    await stage.session.shutdown()
  }

  @Test func `the shutdown of the session ends the transfer`() async throws {
    var stage = try await Stage()
    await stage.expectCancellation(of: 0)
    await stage.session.shutdown()
    try await stage.server.waitForOpenConnections(0)
  }
}
