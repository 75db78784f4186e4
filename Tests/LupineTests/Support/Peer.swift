import Lupine
import LupineFixtures
import Testing

/// A real server that `Tests/Support/Peers/with-peers` has started.
enum Peer {
  case apacheTLS
  case httpbin
  case nginx
  case nginxTLS

  /// The base URL of the server; throws if the server is not running.
  var url: String {
    get throws {
      try #require(address, "this server is not running: run the tests beside Tests/Support/Peers/with-peers")
    }
  }

  /// Makes a session over the transport of the test, with the standard defaults and the base URL of this server.
  ///
  /// The session uses HTTP/2 if the server uses TLS.
  func session(_ assemble: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    var builder = Session.Builder().transport(.curl).standardDefaults().baseURL(try url)
    if self == .nginxTLS || self == .apacheTLS {
      builder = builder.certificateAuthorities(Fixture.path("Certificates/root.pem")).httpVersion(.http2)
    }
    return try assemble(builder).build()
  }

  private var address: String? {
    switch self {
    case .apacheTLS: Peers.apacheTLS
    case .httpbin: Peers.httpbin
    case .nginx: Peers.nginx
    case .nginxTLS: Peers.nginxTLS
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if the servers are not running; if the servers are required, the test runs and fails.
  static var besidePeers: Self {
    .enabled("the servers are not running: run the tests beside Tests/Support/Peers/with-peers") {
      Peers.areRequired || [Peers.apacheTLS, Peers.httpbin, Peers.nginx, Peers.nginxTLS].allSatisfy { $0 != nil }
    }
  }
}
