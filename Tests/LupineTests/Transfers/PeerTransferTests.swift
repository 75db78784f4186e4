import Dispatch
import FoundationEssentials
import Lupine
import LupineFixtures
import Synchronization
import Testing
import TransportSupport

/// Progress and decisions during uploads and downloads, with real servers.
@Suite(.overEachTransport) struct PeerTransferTests {
  struct Echo: Decodable, Sendable {
    let data: String
  }

  @Test(.besidePeers) func `a stream that exists once arrives at httpbin, and its progress on the queue`() async throws
  {
    let queue = DispatchQueue(label: "progress")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let seen = Mutex<[(completed: Int64, isOnQueue: Bool)]>([])
    let pieces = AsyncStream<[UInt8]> { continuation in
      for letter in "lupine".utf8 { continuation.yield([letter]) }
      continuation.finish()
    }
    let echo = try await Peer.httpbin.session().upload(
      RequestBody.oneShot(length: 6, pieces), to: "post", method: .post
    )
    .uploadProgress(queue: queue) { progress in
      seen.withLock { $0.append((progress.completed, DispatchQueue.getSpecific(key: key) == true)) }
    }
    .serializingDecodable(Echo.self).value
    #expect(echo.data == "lupine")
    let told = seen.withLock { $0 }
    #expect(told.last?.completed == 6)
    #expect(!told.contains { !$0.isOnQueue })
    let completed = told.map { $0.completed }
    #expect(completed == completed.sorted())
  }

  @Test(.besidePeers) func `a redirect's page is no progress of nginx's file`() async throws {
    let seen = Mutex<[TransferProgress]>([])
    let response = await (try Peer.nginx.session()).download("redirect")
      .downloadProgress { progress in seen.withLock { $0.append(progress) } }
      .serializingData().response
    #expect(response.redirects.count == 1)
    #expect(seen.withLock { $0.map(\.completed) } == [17])
    #expect(seen.withLock { $0.map(\.total) } == [17])
  }

  @Test(.besidePeers) func `an empty body that nginx takes and gives has one figure each way`() async throws {
    let seen = Mutex<[TransferProgress]>([])
    let session = try Peer.nginx.session()
    let put = await session.upload(.bytes(Data()), to: "uploads/nothing", method: .put)
      .uploadProgress { progress in seen.withLock { $0.append(progress) } }
      .serializingData().response
    #expect(put.response.map { [201, 204].contains($0.status.code) } == true)
    let file = try await session.download("uploads/nothing")
      .downloadProgress { progress in seen.withLock { $0.append(progress) } }
      .serializingFile().value
    try FileManager.default.removeItem(at: file)
    #expect(seen.withLock { $0.map(\.completed) } == [0, 0])
    #expect(seen.withLock { $0.map(\.fractionCompleted) } == [1, 1])
  }

  @Test(.besidePeers, arguments: [0, 6, 1 << 20])
  func `the response to a body begins after its last byte has gone out`(size: Int) async throws {
    let body = RequestBody.bytes(Data(repeating: 0x61, count: size))
    let response = await (try Peer.httpbin.session()).upload(body, to: "post").validate().serializingData().response
    let sent = try #require(response.metrics.requestSent)
    let answered = try #require(response.metrics.firstByte)
    #expect(sent <= answered)
    #expect(answered <= response.metrics.total)
  }

  @Test(.besidePeers, arguments: [ResponseDisposition.allow, .cancel])
  func `a response of httpbin's is allowed or cancelled at its head`(disposition: ResponseDisposition) async throws {
    let statuses = Mutex<[Int]>([])
    let response = await (try Peer.httpbin.session()).request("bytes/100000")
      .onHTTPResponse { head in
        statuses.withLock { $0.append(head.status.code) }
        return disposition
      }
      .serializingData().response
    #expect(statuses.withLock { $0 } == [200])
    #expect(response.value?.count == (disposition == .allow ? 100_000 : nil))
    #expect(response.error?.kind == (disposition == .allow ? nil : .cancelled))
  }
}
