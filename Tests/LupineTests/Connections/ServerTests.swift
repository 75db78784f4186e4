import Foundation
import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// A server of another project, and the version of HTTP that a test speaks with it.
struct ServerCase: CustomTestStringConvertible, Sendable {
  let name: String
  let address: String?
  let version: ProtocolVersion

  var testDescription: String { "\(name), \(version.rawValue)\(name.hasSuffix("TLS") ? "" : " without TLS")" }

  /// Whether libcurl reuses a connection; with prior knowledge of HTTP/2, it makes a new one for each request.
  var keepsConnections: Bool { version == .http1_1 || name.hasSuffix("TLS") }

  /// The path that answers an upload with its content; `nil` if the server does not do so reliably.
  ///
  /// In HTTP/1.1 caddy reads all of a body before it responds, and caddy 2.6.2 sometimes closes the connection in the
  /// middle of a long response to an upload: the program `curl` reports it as well, for one of 240 requests. apache2
  /// reads a response only after it has sent the request, and nginx 1.22 sometimes stalls if the response comes earlier.
  var echo: String? {
    if name.hasPrefix("apache2") || name.hasPrefix("nginx") { return "echo" }
    return version == .http2 ? "mirror" : name.hasPrefix("caddy") ? nil : "echo"
  }

  /// Each server with each version, with and without TLS.
  static let all: [Self] =
    [
      ("hypercorn", Peers.hypercorn), ("hypercorn with TLS", Peers.hypercornTLS), ("caddy", Peers.caddy),
      ("caddy with TLS", Peers.caddyTLS), ("HAProxy", Peers.haproxy), ("HAProxy with TLS", Peers.haproxyTLS),
      ("nginx with TLS", application(Peers.nginxTLS)), ("apache2", application(Peers.apache)),
      ("apache2 with TLS", application(Peers.apacheTLS)),
    ].flatMap { name, address in
      [ProtocolVersion.http1_1, .http2].map { Self(name: name, address: address, version: $0) }
    } + [
      Self(name: "nginx", address: application(Peers.nginx), version: .http1_1),
      Self(name: "nginx", address: application(Peers.nginxHTTP2), version: .http2),
    ]

  /// The address of the application of hypercorn behind a server that has other paths too.
  private static func application(_ server: String?) -> String? { server.map { "\($0)/application/" } }

  func session(_ assemble: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    let address = try #require(address, "this server is not running")
    return try assemble(
      Session.Builder().transport(.curl).standardDefaults().baseURL(address).httpVersion(version)
        .certificateAuthorities(Fixture.path("Certificates/root.pem"))
    ).build()
  }
}

/// HTTP/1.1 and HTTP/2 as hypercorn, caddy, HAProxy, nginx and apache2 implement them.
@Suite(.besidePeers, .overEachTransport) struct ServerTests {
  static let size = 1 << 20
  /// The content of a body of `size` bytes: each byte is its offset modulo 251.
  static let content = Data((0..<size).map { UInt8($0 % 251) })

  @Test(arguments: ServerCase.all)
  func `bodies of known and of unknown length arrive whole, on one connection`(server: ServerCase) async throws {
    let session = try server.session()
    for path in ["hello", "known/\(Self.size)", "unknown/\(Self.size)", "known/0", "unknown/0", "hello"] {
      let response = await session.request(path).validate().serializingData().response
      #expect(response.metrics.version == server.version)
      let expected = path == "hello" ? Data("Hello\n".utf8) : path.hasSuffix("/0") ? Data() : Self.content
      #expect(response.data == expected || response.data == nil && expected.isEmpty, "\(path)")
    }
    #expect(await session.connectionPool()?.open == 1 || !server.keepsConnections)
  }

  @Test(arguments: ServerCase.all)
  func `responses without a body leave the connection usable`(server: ServerCase) async throws {
    let session = try server.session()
    for status in [204, 304] {
      let response = await session.request("status/\(status)").serializingData().response
      #expect(response.statusCode == status)
      #expect(response.data?.isEmpty != false)
    }
    let head = await session.request("known/1000", method: .head).serializingData().response
    #expect(head.value?.isEmpty == true)
    #expect(head.headers[.contentLength] == "1000")
    let last = await session.request("hello").serializingString().response
    #expect(last.value == "Hello\n")
    #expect(last.metrics.isConnectionReused || !server.keepsConnections)
  }

  @Test(arguments: ServerCase.all)
  func `uploads of known and of unknown length arrive whole`(server: ServerCase) async throws {
    let session = try server.session()
    for length in [Int64(Self.size), nil] {
      let body = RequestBody.stream(length: length) {
        AsyncStream<[UInt8]> { continuation in
          for start in stride(from: 0, to: Self.size, by: 100_000) {
            continuation.yield([UInt8](Self.content[start..<min(start + 100_000, Self.size)]))
          }
          continuation.finish()
        }
      }
      if let path = server.echo {
        #expect(try await session.upload(body, to: path).validate().serializingData().value == Self.content)
      } else {
        #expect(try await session.upload(body, to: "size").serializingString().value == "\(Self.size)\n")
      }
    }
    #expect(try await session.upload(.bytes(Self.content), to: "size").serializingString().value == "\(Self.size)\n")
  }

  @Test(arguments: ServerCase.all)
  func `64 requests at once each get their own answer`(server: ServerCase) async throws {
    let session = try server.session()
    let counts = try await withThrowingTaskGroup { group in
      for number in 1...64 {
        group.addTask {
          let count = number * 1000
          let data = try await session.request("unknown/\(count)").validate().serializingData().value
          return data == Self.content.prefix(count) ? count : 0
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(counts == Set((1...64).map { $0 * 1000 }))
  }

  @Test(arguments: ServerCase.all)
  func `a request that is cancelled during its body does not disturb another one`(server: ServerCase) async throws {
    let session = try server.session()
    var pieces = session.streamRequest("unknown/\(Self.size)").serializingBytes().makeAsyncIterator()
    var count = try await pieces.next()?.count ?? 0
    let cancelled = session.streamRequest("unknown/\(8 * Self.size)")
    var others = cancelled.serializingBytes().makeAsyncIterator()
    #expect(try await others.next() != nil)
    cancelled.cancel()
    await #expect(throws: LupineError.self) { while try await others.next() != nil {} }
    while let piece = try await pieces.next() { count += piece.count }
    #expect(count == Self.size)
    #expect(try await session.request("hello").serializingString().value == "Hello\n")
  }
}
