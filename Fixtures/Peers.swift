import FoundationEssentials

/// Says where the real servers are that `Tests/Support/Peers/with-peers` starts.
///
/// Each is nil when the tests run without them, in `swift test` alone, say. A test that needs a peer skips itself then,
/// unless ``areRequired`` says that it must fail.
public enum Peers {
  /// The base URL of apache2, `http://localhost:PORT`: Basic under `/basic`, Digest under `/digest` and `/next-nonce`,
  /// Negotiate under `/negotiate`.
  public static var apache: String? { variable("LUPINE_APACHE") }

  /// The base URL of apache2 with TLS, `https://localhost:PORT`, which speaks HTTP/2: a 103 comes before `/hello`.
  public static var apacheTLS: String? { variable("LUPINE_APACHE_TLS") }

  /// The base URL of httpbin, `http://127.0.0.1:PORT`.
  public static var httpbin: String? { variable("LUPINE_HTTPBIN") }

  /// The base URL of nginx without TLS, `http://127.0.0.1:PORT`.
  public static var nginx: String? { variable("LUPINE_NGINX") }

  /// The base URL of nginx with TLS, `https://localhost:PORT`, which speaks HTTP/2 and HTTP/1.1.
  public static var nginxTLS: String? { variable("LUPINE_NGINX_TLS") }

  /// The base URL of a server that asks for NTLM, `http://127.0.0.1:PORT`.
  public static var ntlm: String? { variable("LUPINE_NTLM") }

  /// A proxy that asks for NTLM, `http://127.0.0.1:PORT`; it says `X-User` and `X-Connection` of what it forwards.
  public static var ntlmProxy: String? { variable("LUPINE_NTLM_PROXY") }

  /// The same proxy over TLS, `https://localhost:PORT`.
  public static var ntlmProxyTLS: String? { variable("LUPINE_NTLM_PROXY_TLS") }

  /// The path of a Unix-domain socket of httpbin's.
  public static var httpbinSocket: String? { variable("LUPINE_HTTPBIN_SOCKET") }

  /// squid, a proxy for everyone, `http://127.0.0.1:PORT`.
  public static var squid: String? { variable("LUPINE_SQUID") }

  /// squid for the user `ali` with the password `open sesame`, `http://127.0.0.1:PORT`.
  public static var squidForUsers: String? { variable("LUPINE_SQUID_USERS") }

  /// squid for the same user, whom it asks for Digest or Basic, `http://127.0.0.1:PORT`.
  public static var squidDigest: String? { variable("LUPINE_SQUID_DIGEST") }

  /// The same squid over TLS, `https://localhost:PORT`.
  public static var squidDigestTLS: String? { variable("LUPINE_SQUID_DIGEST_TLS") }

  /// squid for whoever has tickets of the test's Kerberos realm, `http://localhost:PORT`.
  public static var squidNegotiate: String? { variable("LUPINE_SQUID_NEGOTIATE") }

  /// The same squid over TLS, `https://localhost:PORT`.
  public static var squidNegotiateTLS: String? { variable("LUPINE_SQUID_NEGOTIATE_TLS") }

  /// squid for everyone over TLS, `https://localhost:PORT`.
  public static var squidTLS: String? { variable("LUPINE_SQUID_TLS") }

  /// dante, a SOCKS 5 proxy for everyone, `127.0.0.1:PORT`.
  public static var dante: String? { variable("LUPINE_DANTE") }

  /// dante for the user `ali` with the password `open sesame`, `127.0.0.1:PORT`.
  public static var danteForUsers: String? { variable("LUPINE_DANTE_USERS") }

  /// The path of the Python that has the packages of `Tests/Support/Peers/requirements.txt`.
  public static var python: String? { variable("LUPINE_PYTHON") }

  /// The path of the root certificate that signs the peers', a PEM file.
  public static var certificateAuthority: String? { variable("LUPINE_CA") }

  /// Whether a missing peer is a failure: true under `make test`, so that no test there is skipped in silence.
  public static var areRequired: Bool { variable("LUPINE_REQUIRE_PEERS") == "1" }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
