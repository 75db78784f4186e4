import FoundationEssentials
import Lupine
import Synchronization
import Testing
import TransportSupport

/// The running requests of a session, with real servers.
@Suite(.besidePeers, .overEachTransport) struct RunningPeerTests {
  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `all that nginx is sending are named, and ended at once`(peer: Peer) async throws {
    let heads = HeadLog()
    let session = try peer.session { $0.monitor(heads) }
    let kinds = Mutex<[LupineError.Kind?]>([])
    let note = { @Sendable (error: LupineError?) in kinds.withLock { $0.append(error?.kind) } }
    session.request("slow").responseData { note($0.error) }
    session.download("slow").response { note($0.error) }
    session.streamRequest("slow").responseStream { if let end = $0.completion { note(end.error) } }
    for _ in 0..<3 { #expect(await heads.next() == 200) }
    let names = session.withAllRequests { requests in requests.map(\.description) }
    #expect(names.count == 3)
    #expect(names.allSatisfy { $0.hasPrefix("GET ") && $0.contains("/slow") })
    session.cancelAllRequests()
    await session.finishRequests()
    #expect(kinds.withLock { $0 } == [.cancelled, .cancelled, .cancelled])
    #expect(session.withAllRequests { $0.isEmpty })
    // The session still accepts requests.
    #expect(try await session.request("hello").serializingString().value == "Hello from nginx\n")
  }

  @Test func `one of several requests is cancelled, and the others continue`() async throws {
    let heads = HeadLog()
    let session = try Peer.nginx.session { $0.monitor(heads) }
    async let slow = session.request("slow").serializingData().response
    #expect(await heads.next() == 200)
    session.withAllRequests { requests in requests.first { $0.description.contains("slow") }.map { _ = $0.cancel() } }
    #expect(await slow.error?.kind == .cancelled)
    #expect(await session.request("hello").serializingString().response.error == nil)
  }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `an interval keeps figures of nginx's file back, but for the last`(peer: Peer) async throws {
    let session = try peer.session()
    func figures(_ interval: Duration) async throws -> [TransferProgress] {
      let seen = Mutex<[TransferProgress]>([])
      let file = try await session.download("big.bin")
        .downloadProgress(interval: interval) { progress in seen.withLock { $0.append(progress) } }
        .serializingFile().value
      try FileManager.default.removeItem(at: file)
      return seen.withLock { $0 }
    }
    let rare = try await figures(.seconds(3_600))
    // The first report and the last one.
    #expect((1...2).contains(rare.count))
    #expect(rare.last?.completed == 16 << 20)
    #expect(rare.last?.fractionCompleted == 1)
    #expect(try await figures(.zero).last?.completed == 16 << 20)
  }
}
