public import FoundationEssentials

/// How a connection is secured.
public struct TLSDetails: Sendable, Hashable {
  /// The version of TLS, as OpenSSL writes it: `TLSv1.3`.
  public var version: String
  /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
  public var cipher: String
  /// The protocol that was agreed on in the handshake (RFC 7301), such as `h2`; `nil` without one.
  public var applicationProtocol: String?
  /// The certificates as the server sent them, in DER, its own first.
  public var peerCertificates: [Data]

  /// Joins what is known of a connection.
  public init(version: String, cipher: String, applicationProtocol: String? = nil, peerCertificates: [Data] = []) {
    self.version = version
    self.cipher = cipher
    self.applicationProtocol = applicationProtocol
    self.peerCertificates = peerCertificates
  }
}
