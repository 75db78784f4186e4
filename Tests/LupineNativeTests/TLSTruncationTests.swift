import LupineCore
import LupineFixtures
import LupineNative
import Testing
import TransportSupport
import TrustSupport

/// Connections with TLS that end in the middle of their records.
@Suite(.timeLimit(.minutes(2))) struct TLSTruncationTests {
  private static let versions: [TLSVersion] = [.tls1_2, .tls1_3]

  /// A server, and a client that reaches it directly or through a tunnel with TLS within TLS.
  private struct Stage {
    let peer: CutPeer
    let client: Client
    let url: String
    private var milestones: AsyncStream<CutPeer.Milestone>.AsyncIterator

    init(_ version: TLSVersion, answer: String = "", isTunnelled: Bool) throws {
      peer = try CutPeer(version, answer: answer, isProxy: isTunnelled)
      var configuration = NativeTransport.Configuration()
      configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
      var client = Client.native(configuration)
      client.connectionKey.maximumTLSVersion = version
      if isTunnelled { client.connectionKey.proxy = try Proxy(peer.url) }
      self.client = client
      url = isTunnelled ? "https://localhost:1/" : peer.url
      milestones = peer.milestones.makeAsyncIterator()
    }

    /// Makes a request whose connection is cut; returns what has been sent completely, and the error.
    mutating func request(
      cutAfter count: Int, isAfterHandshake: Bool = false
    ) async throws -> (CutPeer.Milestone, LupineError?) {
      peer.cut(after: count, isAfterHandshake: isAfterHandshake)
      let error = await client.failure(url)
      let milestone = await milestones.next(isolation: #isolation)
      return (try #require(milestone), error)
    }
  }

  @Test(arguments: versions, [false, true])
  func `a connection that is cut at any byte is an error until the length of the body has arrived`(
    _ version: TLSVersion, isTunnelled: Bool
  ) async throws {
    try await cutEverywhere(
      version, answer: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", isTunnelled: isTunnelled,
      kinds: [.handshake: .connectionLost, .response: nil, .close: nil])
  }

  @Test(arguments: versions, [false, true])
  func `a body that the end of the connection delimits is complete only with close_notify`(
    _ version: TLSVersion, isTunnelled: Bool
  ) async throws {
    try await cutEverywhere(
      version, answer: "HTTP/1.1 200 OK\r\n\r\nok", isTunnelled: isTunnelled,
      kinds: [.handshake: .connectionLost, .response: .connectionLost, .close: nil])
  }

  /// Cuts connections after one byte more each time, from the end of the handshake up to close_notify.
  ///
  /// - Parameter kinds: the error of the request for each part that arrives completely; `nil` for a success.
  private func cutEverywhere(
    _ version: TLSVersion, answer: String, isTunnelled: Bool, kinds: [CutPeer.Milestone: LupineError.Kind?]
  ) async throws {
    var stage = try Stage(version, answer: answer, isTunnelled: isTunnelled)
    defer { stage.peer.stop() }
    var seen: Set<CutPeer.Milestone> = []
    for count in 0... {
      let (milestone, error) = try await stage.request(cutAfter: count, isAfterHandshake: true)
      let kind = try #require(kinds[milestone], "\(milestone) after \(count) bytes")
      #expect(error?.kind == kind, "\(milestone) after \(count) bytes: \(error as Any)")
      seen.insert(milestone)
      guard error?.kind == kind, !seen.contains(.close) else { break }
    }
    #expect(seen == Set(kinds.keys))
    await stage.client.transport.shutdown()
  }

  @Test(arguments: versions)
  func `a connection that is cut at any byte of the handshake fails the handshake`(_ version: TLSVersion) async throws {
    var stage = try Stage(version, isTunnelled: false)
    defer { stage.peer.stop() }
    var count = 0
    while true {
      let (milestone, error) = try await stage.request(cutAfter: count)
      guard milestone == .none else { break }
      #expect(error?.kind == .tlsFailed, "after \(count) bytes: \(error as Any)")
      count += 1
    }
    #expect(count > 500)
    await stage.client.transport.shutdown()
  }

  @Test(arguments: versions)
  func `a tunnel that is cut before or within the handshake with the server fails the request`(
    _ version: TLSVersion
  ) async throws {
    var stage = try Stage(version, isTunnelled: true)
    defer { stage.peer.stop() }
    var kinds: [LupineError.Kind] = []
    for count in stride(from: 0, to: .max, by: 19) {
      let (milestone, error) = try await stage.request(cutAfter: count)
      guard milestone == .none, let kind = error?.kind else { break }
      if kinds.last != kind { kinds.append(kind) }
    }
    // The handshake with the proxy, the response to CONNECT, and the handshake with the server.
    #expect(kinds == [.tlsFailed, .proxyFailed, .tlsFailed])
    await stage.client.transport.shutdown()
  }
}
