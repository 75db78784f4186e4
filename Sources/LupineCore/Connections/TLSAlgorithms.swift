/// The cipher suites and the groups that a transport offers in the handshakes of TLS.
///
/// The settings belong to the transport, in its configuration. Two transports share no connection, so no connection made
/// with one offer serves a request with another. A name that the TLS library does not know, a name of an algorithm that it
/// does not offer, and an empty list are errors of `build()`.
public struct TLSAlgorithms: Sendable, Hashable {
  /// The names of the cipher suites, the preferred one first.
  ///
  /// Default: `nil`, which means those of the system without finite-field Diffie-Hellman (DHE). With DHE the server chooses
  /// how long the client computes. A field of 10,000 bits took 2.6 seconds, during which nothing else in the transport
  /// moved.
  ///
  /// A name is the registered one, such as `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`, or OpenSSL's, such as
  /// `ECDHE-RSA-AES128-GCM-SHA256`. TLS 1.3 has cipher suites of its own, such as `TLS_AES_128_GCM_SHA256`. A version of
  /// TLS without a cipher suite in the list keeps its default ones. If the list contains DHE, a field of more than
  /// 4,096 bits is refused.
  public var cipherSuites: [String]?
  /// The names of the groups for the key exchange, the preferred one first.
  ///
  /// Default: `nil`, which means X25519, P-256, X448, P-384 and P-521, and before them the hybrid of X25519 and ML-KEM if
  /// OpenSSL has it (3.5). A finite field, such as `ffdhe2048` (RFC 7919), must be named.
  public var groups: [String]?

  /// Creates an offer; the default values are safe.
  public init(cipherSuites: [String]? = nil, groups: [String]? = nil) {
    self.cipherSuites = cipherSuites
    self.groups = groups
  }
}
