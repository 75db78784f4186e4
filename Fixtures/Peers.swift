import FoundationEssentials

/// The addresses of the real servers that `Tests/Support/Peers/with-peers` starts.
///
/// Each is `nil` if the tests run without the servers, for example with plain `swift test`. A test that needs a server
/// is then skipped; if ``areRequired`` is true, it fails instead.
public enum Peers {
  /// The base URL of apache2, `http://localhost:PORT`: Basic under `/basic`, Digest under `/digest` and `/next-nonce`,
  /// Negotiate under `/negotiate`, and the application of hypercorn under `/application/`.
  public static var apache: String? { variable("LUPINE_APACHE") }

  /// The base URL of apache2 with TLS and HTTP/2, `https://localhost:PORT`; a 103 precedes the response of `/hello`.
  public static var apacheTLS: String? { variable("LUPINE_APACHE_TLS") }

  /// The base URL of httpbin, `http://127.0.0.1:PORT`.
  public static var httpbin: String? { variable("LUPINE_HTTPBIN") }

  /// The base URL of nginx without TLS, `http://127.0.0.1:PORT`.
  public static var nginx: String? { variable("LUPINE_NGINX") }

  /// The base URL of nginx for HTTP/2 with prior knowledge, `http://127.0.0.1:PORT`, with the application of hypercorn
  /// under `/application/`, as the other ports of nginx have it.
  public static var nginxHTTP2: String? { variable("LUPINE_NGINX_HTTP2") }

  /// The base URL of nginx with TLS, `https://localhost:PORT`, for HTTP/2 and HTTP/1.1.
  public static var nginxTLS: String? { variable("LUPINE_NGINX_TLS") }

  /// The base URL of nginx with TLS that ends each connection after five requests, for HTTP/2 and HTTP/1.1.
  public static var nginxFew: String? { variable("LUPINE_NGINX_FEW") }

  /// The base URL of a server that requires NTLM, `http://127.0.0.1:PORT`.
  public static var ntlm: String? { variable("LUPINE_NTLM") }

  /// A proxy that requires NTLM, `http://127.0.0.1:PORT`; it adds `X-User` and `X-Connection` to the responses.
  public static var ntlmProxy: String? { variable("LUPINE_NTLM_PROXY") }

  /// The same proxy over TLS, `https://localhost:PORT`.
  public static var ntlmProxyTLS: String? { variable("LUPINE_NTLM_PROXY_TLS") }

  /// The path of httpbin's Unix-domain socket.
  public static var httpbinSocket: String? { variable("LUPINE_HTTPBIN_SOCKET") }

  /// squid, a proxy without authentication, `http://127.0.0.1:PORT`.
  public static var squid: String? { variable("LUPINE_SQUID") }

  /// squid as a shared cache, `http://127.0.0.1:PORT`; the other instances store nothing.
  public static var squidCache: String? { variable("LUPINE_SQUID_CACHE") }

  /// squid with Basic for the user `ali` with the password `open sesame`, `http://127.0.0.1:PORT`.
  public static var squidForUsers: String? { variable("LUPINE_SQUID_USERS") }

  /// squid with Digest or Basic for the same user, `http://127.0.0.1:PORT`.
  public static var squidDigest: String? { variable("LUPINE_SQUID_DIGEST") }

  /// The same squid over TLS, `https://localhost:PORT`.
  public static var squidDigestTLS: String? { variable("LUPINE_SQUID_DIGEST_TLS") }

  /// squid with Negotiate, for tickets of the Kerberos realm of the tests, `http://localhost:PORT`.
  public static var squidNegotiate: String? { variable("LUPINE_SQUID_NEGOTIATE") }

  /// The same squid over TLS, `https://localhost:PORT`.
  public static var squidNegotiateTLS: String? { variable("LUPINE_SQUID_NEGOTIATE_TLS") }

  /// squid without authentication over TLS, `https://localhost:PORT`.
  public static var squidTLS: String? { variable("LUPINE_SQUID_TLS") }

  /// dante, a SOCKS 5 proxy without authentication, `127.0.0.1:PORT`.
  public static var dante: String? { variable("LUPINE_DANTE") }

  /// dante for the user `ali` with the password `open sesame`, `127.0.0.1:PORT`.
  public static var danteForUsers: String? { variable("LUPINE_DANTE_USERS") }

  /// The address of a Redis server, `127.0.0.1:PORT`; the user `ali` has the password `open sesame`, and the default user
  /// needs none.
  public static var redis: String? { variable("LUPINE_REDIS") }

  /// The path of the Redis server's Unix-domain socket.
  public static var redisSocket: String? { variable("LUPINE_REDIS_SOCKET") }

  /// The base URL of hypercorn, `http://127.0.0.1:PORT`, for HTTP/1.1 and for HTTP/2 with prior knowledge.
  ///
  /// `/echo` returns the request's body, `/mirror` returns each piece when it arrives, and `/size` returns the size.
  /// `/known/N` and `/unknown/N` return N bytes with and without Content-Length; each byte is its offset modulo 251.
  /// `/uploads` takes resumable uploads by the draft of the IETF, and `/tus` by tus 1.0.0.
  public static var hypercorn: String? { variable("LUPINE_HYPERCORN") }

  /// The base URL of hypercorn with TLS, `https://localhost:PORT`, for HTTP/2 and HTTP/1.1.
  public static var hypercornTLS: String? { variable("LUPINE_HYPERCORN_TLS") }

  /// The base URL of caddy, a proxy before hypercorn, `http://127.0.0.1:PORT`.
  public static var caddy: String? { variable("LUPINE_CADDY") }

  /// The base URL of caddy with TLS, `https://localhost:PORT`.
  public static var caddyTLS: String? { variable("LUPINE_CADDY_TLS") }

  /// The base URL of HAProxy, a proxy before hypercorn, `http://127.0.0.1:PORT`.
  public static var haproxy: String? { variable("LUPINE_HAPROXY") }

  /// The base URL of HAProxy with TLS, `https://localhost:PORT`.
  public static var haproxyTLS: String? { variable("LUPINE_HAPROXY_TLS") }

  /// The path of the Python that has the packages of `Tests/Support/Peers/requirements.txt`.
  public static var python: String? { variable("LUPINE_PYTHON") }

  /// The path of the root certificate that signs the certificates of the servers, a PEM file.
  public static var certificateAuthority: String? { variable("LUPINE_CA") }

  /// Whether a missing server is a failure: true under `make test`, so that no test is skipped silently there.
  public static var areRequired: Bool { variable("LUPINE_REQUIRE_PEERS") == "1" }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
