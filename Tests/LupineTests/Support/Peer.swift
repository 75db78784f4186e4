import Lupine
import LupineFixtures
import Testing

/// A real server that `Tests/Support/Peers/with-peers` has started.
enum Peer {
  case apacheTLS
  case httpbin
  case nginx
  case nginxTLS

  /// Its base URL; the test fails where nobody has started it.
  var url: String {
    get throws {
      try #require(address, "this server is not running: run the tests beside Tests/Support/Peers/with-peers")
    }
  }

  /// A session over libcurl, with all that the umbrella brings and this server as the base URL; over HTTP/2 where there is
  /// TLS.
  func session(_ assemble: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    var builder = Session.Builder().standardDefaults().baseURL(try url)
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
  /// Leaves a test out where the servers are not running, unless they are required: then it fails.
  static var besidePeers: Self {
    .enabled("the servers are not running: run the tests beside Tests/Support/Peers/with-peers") {
      Peers.areRequired || [Peers.apacheTLS, Peers.httpbin, Peers.nginx, Peers.nginxTLS].allSatisfy { $0 != nil }
    }
  }
}
