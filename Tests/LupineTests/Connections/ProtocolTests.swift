import Lupine
import LupineFixtures
import Testing
import TransportSupport

@Suite(.overEachTransport, .besidePeers) struct ProtocolTests {
  @Test func `HTTP 2 is negotiated with TLS if the request names it`() async throws {
    let response = await (try Peer.nginxTLS.session()).request("protocol").serializingString().response
    #expect(response.value == "HTTP/2.0 TLSv1.3\n")
    #expect(response.metrics.version == .http2)
    #expect(response.metrics.secureConnect != nil)
  }

  @Test func `HTTP 1.1 is used if the request names it`() async throws {
    var request = try OutgoingRequest(try Peer.nginxTLS.url + "/protocol")
    request.options.version = .http1_1
    let response = await (try Peer.nginxTLS.session()).request(request).serializingString().response
    #expect(response.value == "HTTP/1.1 TLSv1.3\n")
    #expect(response.metrics.version == .http1_1)
  }

  @Test func `with TLS libcurl uses HTTP 1.1 by default, and the native transport what the server selects`()
    async throws
  {
    let session = try Session.Builder().transport(.curl).standardDefaults().baseURL(try Peer.nginxTLS.url)
      .certificateAuthorities(Fixture.path("Certificates/root.pem")).build()
    let response = await session.request("protocol").serializingString().response
    let version = TestTransport.isNative ? ProtocolVersion.http2 : .http1_1
    #expect(response.value == "\(version == .http2 ? "HTTP/2.0" : "HTTP/1.1") TLSv1.3\n")
    #expect(response.metrics.version == version)
  }

  @Test func `without TLS HTTP 1.1 is spoken`() async throws {
    let response = await (try Peer.nginx.session()).request("protocol").serializingString().response
    #expect(response.value?.hasPrefix("HTTP/1.1 ") == true)
    #expect(response.metrics.version == .http1_1)
    #expect(response.metrics.secureConnect == nil)
  }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `a connection is used again`(_ peer: Peer) async throws {
    let session = try peer.session()
    let first = await session.request("connection").serializingString().response
    let second = await session.request("connection").serializingString().response
    #expect(first.metrics.isConnectionReused == false)
    #expect(second.metrics.isConnectionReused == true)
    #expect(try connection(first) == connection(second))
  }

  @Test func `two sessions share no connection`() async throws {
    let first = await (try Peer.nginx.session()).request("connection").serializingString().response
    let second = await (try Peer.nginx.session()).request("connection").serializingString().response
    #expect(second.metrics.isConnectionReused == false)
    #expect(try connection(first) != connection(second))
  }

  @Test func `HTTP 2 carries many requests over one connection`() async throws {
    let session = try Peer.nginxTLS.session()
    let first = try connection(await session.request("connection").serializingString().response)
    let others = try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask { try connection(await session.request("connection").serializingString().response) }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(others == [first])
  }

  @Test func `the metrics have the times and bytes of the exchange`() async throws {
    let response = await (try Peer.nginx.session()).request("big.bin").serializingData().response
    let metrics = response.metrics
    #expect(metrics.bytesReceived == 16 << 20)
    #expect(metrics.remoteAddress.map { "http://\($0)" } == (try Peer.nginx.url))
    let connect = try #require(metrics.connect)
    let firstByte = try #require(metrics.firstByte)
    #expect(connect <= firstByte && firstByte <= metrics.total)
  }

  /// nginx's number for the connection that carried the request.
  private func connection(_ response: DataResponse<String>) throws -> Substring {
    try #require(try response.result.get().split(separator: " ").first)
  }
}
