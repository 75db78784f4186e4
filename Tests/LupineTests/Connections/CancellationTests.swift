import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct CancellationTests {
  @Test func `cancelling the task ends a body that is on its way`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    let task = Task { await session.request("slow").serializingData().response }
    #expect(await heads.next() == 200)
    task.cancel()
    #expect(await task.value.error?.kind == .cancelled)
  }

  @Test func `cancelling the request ends a body that is on its way`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    let request = session.request("slow")
    async let response = request.serializingData().response
    #expect(await heads.next() == 200)
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
  }

  @Test func `cancelling calls the handlers, once`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    let (kinds, calls) = AsyncStream.makeStream(of: LupineError.Kind?.self)
    let request = session.request("slow").responseData { calls.yield($0.error?.kind) }
    #expect(await heads.next() == 200)
    request.cancel()
    request.cancel()
    await session.finishRequests()
    calls.finish()
    #expect(await kinds.reduce(into: []) { $0.append($1) } == [.cancelled])
  }

  @Test func `the shutdown of a session ends its requests with kind sessionShutDown`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    async let response = session.request("slow").serializingData().response
    #expect(await heads.next() == 200)
    await session.shutdown()
    #expect(await response.error?.kind == .sessionShutDown)
    #expect(await session.request("hello").serializingData().response.error?.kind == .sessionShutDown)
  }

  @Test func `a session serves others after a cancellation`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    let request = session.request("slow")
    async let cancelled = request.serializingData().response
    #expect(await heads.next() == 200)
    request.cancel()
    _ = await cancelled
    #expect(try await session.request("hello").serializingString().value == "Hello from nginx\n")
  }
}
