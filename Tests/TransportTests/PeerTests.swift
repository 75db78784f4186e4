import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineCurl
import LupineFixtures
import Testing
import TransportSupport

/// Exchanges over TLS with nginx, a server of another project.
@Suite(.overEachTransport, .enabled(if: Peers.nginxTLS != nil || Peers.areRequired))
struct PeerTests {
  private func client() throws -> (Client, String) {
    var configuration = CurlTransport.Configuration()
    configuration.network.certificateAuthorities = Peers.certificateAuthority
    return (Client(configuration), try #require(Peers.nginxTLS))
  }

  @Test func `HTTP/2 is negotiated if the request names it, and many exchanges share a connection`() async throws {
    let (client, url) = try client()
    let first = try await client.fetch(url + "/hello") { $0.options.version = .http2 }
    #expect(first.end.metrics.version == .http2)
    #expect(first.end.metrics.secureConnect != nil)
    let log = EventLog()
    try await withThrowingTaskGroup(of: ProtocolVersion?.self) { group in
      for _ in 1...100 {
        group.addTask {
          try await client.fetch(url + "/hello", log: log) { $0.options.version = .http2 }.end.metrics.version
        }
      }
      for try await version in group { #expect(version == .http2) }
    }
    #expect(!log.reused.contains(false))
    #expect(log.queuedCount == 0)
    await client.transport.shutdown()
  }

  @Test func `a request does not use a connection of another version than it names`() async throws {
    let (client, url) = try client()
    let first = try await client.fetch(url + "/hello") { $0.options.version = .http2 }
    #expect(first.end.metrics.version == .http2)
    let second = try await client.fetch(url + "/hello") { $0.options.version = .http1_1 }
    #expect(second.end.metrics.version == .http1_1)
    #expect(!second.end.metrics.isConnectionReused)
    // The request names no version: libcurl uses HTTP/1.1, and the native transport leaves the choice to the server.
    let third = try await client.fetch(url + "/hello")
    #expect(third.end.metrics.version == (TestTransport.isNative ? .http2 : .http1_1))
    #expect(third.end.metrics.isConnectionReused)
    await client.transport.shutdown()
  }

  @Test func `a certificate of an unknown authority is refused`() async throws {
    let (_, url) = try client()
    let client = Client()
    let error = await client.failure(url)
    #expect(error?.kind == .certificateRejected)
    await client.transport.shutdown()
  }

  @Test func `a certificate for another name is refused`() async throws {
    let (client, url) = try client()
    let other = url.replacing("localhost", with: "other.localhost")
    #expect(await client.failure(other)?.kind == .certificateRejected)
    await client.transport.shutdown()
  }

  @Test func `a server that does not speak TLS is an error`() async throws {
    let plain = try #require(Peers.nginx)
    let client = Client()
    #expect(await client.failure(plain.replacing("http://", with: "https://"))?.kind == .tlsFailed)
    await client.transport.shutdown()
  }
}
