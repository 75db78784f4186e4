import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// Streams that share a connection to nginx over HTTP/2.
@Suite(.overEachTransport, .besidePeers, .serialized) struct HTTP2PauseTests {
  private static let size = 96 << 20

  @Test func `an unread stream beside one that is read keeps memory bounded, and both end correctly`()
    async throws
  {
    let session = try Peer.nginxTLS.session()
    let before = try ResidentMemory.kibibytes
    var paused = session.streamRequest("zeros.bin").serializingBytes().makeAsyncIterator()
    var count = try await paused.next()?.count ?? 0
    var active = 0
    for try await piece in session.streamRequest("zeros.bin").serializingBytes() { active += piece.count }
    #expect(active == Self.size)
    #expect(await session.connectionPool()?.open == 1)
    // libcurl allows a server to send up to 32 MiB of a stream that is not read.
    #expect(try ResidentMemory.kibibytes - before < 64 << 10)
    #expect(count < Self.size / 2)
    while let piece = try await paused.next() { count += piece.count }
    #expect(count == Self.size)
  }

  @Test func `many unread streams delay neither each other nor a further request`() async throws {
    let session = try Peer.nginxTLS.session()
    var streams = (0..<8).map { _ in session.streamRequest("big.bin").serializingBytes().makeAsyncIterator() }
    var counts = [Int](repeating: 0, count: streams.count)
    for index in streams.indices { counts[index] = try await streams[index].next()?.count ?? 0 }
    let response = await session.request("protocol").serializingString().response
    #expect(response.value == "HTTP/2.0 TLSv1.3\n")
    #expect(response.metrics.isConnectionReused)
    // The streams are read in the reverse of the order in which they began.
    for index in streams.indices.reversed() {
      while let piece = try await streams[index].next() { counts[index] += piece.count }
    }
    #expect(counts.allSatisfy { $0 == 16 << 20 })
    #expect(await session.connectionPool()?.open == 1)
  }
}
