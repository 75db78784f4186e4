public import FoundationEssentials
import LupineSupport

/// How a connection is secured.
public struct TLSDetails: Sendable, Hashable {
  /// The version of TLS, as OpenSSL writes it: `TLSv1.3`.
  public var version: String {
    get { storage.value.version }
    _modify { yield &storage.value.version }
  }
  /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
  public var cipher: String {
    get { storage.value.cipher }
    _modify { yield &storage.value.cipher }
  }
  /// The protocol that was agreed on in the handshake (RFC 7301), such as `h2`; `nil` without one.
  public var applicationProtocol: String? {
    get { storage.value.applicationProtocol }
    _modify { yield &storage.value.applicationProtocol }
  }
  /// The certificates as the server sent them, in DER, its own first.
  public var peerCertificates: [Data] {
    get { storage.value.peerCertificates }
    _modify { yield &storage.value.peerCertificates }
  }

  private struct Values: Hashable {
    var version: String
    var cipher: String
    var applicationProtocol: String?
    var peerCertificates: [Data]
  }

  private var storage: CopyOnWrite<Values>

  /// Joins what is known of a connection.
  public init(version: String, cipher: String, applicationProtocol: String? = nil, peerCertificates: [Data] = []) {
    storage = CopyOnWrite(
      Values(
        version: version, cipher: cipher, applicationProtocol: applicationProtocol, peerCertificates: peerCertificates))
  }
}

/// A version of TLS that a session may ask for; older ones are never spoken.
public enum TLSVersion: String, Sendable, Hashable, Comparable, CaseIterable {
  /// TLS 1.2 (RFC 5246).
  case tls1_2 = "TLSv1.2"
  /// TLS 1.3 (RFC 8446).
  case tls1_3 = "TLSv1.3"

  /// Orders versions by their age.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left == .tls1_2 && right == .tls1_3 }
}

/// What a server presented, free of any TLS library's types.
public struct ServerTrust: Sendable {
  /// The host that the request is for, as its URL has it.
  public var host: String
  /// The port that the request is for.
  public var port: Int
  /// The certificates as the server sent them, in DER, its own first.
  public var presentedChain: [Data]
  /// The chain from the server's certificate to a trusted root, where the transport verified one.
  ///
  /// That the certificate names the host is not part of it.
  public var verifiedChain: [Data]?
  /// Why the transport's own verification of the chain failed, in its library's words; `nil` where it succeeded, and
  /// where the transport, as a mock, verifies nothing.
  public var verificationFailure: String?
  /// The OCSP response that the server stapled, in DER (RFC 6066 section 8).
  public var stapledOCSPResponse: Data?
  /// The file of root certificates, in PEM, that the session trusts instead of the system's.
  public var certificateAuthorities: String?
  /// The file of root certificates, in PEM, that the session trusts on top of the others.
  public var additionalCertificateAuthorities: String?
  /// The time to judge by.
  public var now: Date
  /// Takes what should be known although the server is trusted; it becomes an event of kind `warning`.
  public var warn: @Sendable (String) -> Void

  /// Joins what a server presented.
  public init(
    host: String, port: Int, presentedChain: [Data], verifiedChain: [Data]? = nil, verificationFailure: String? = nil,
    stapledOCSPResponse: Data? = nil, certificateAuthorities: String? = nil,
    additionalCertificateAuthorities: String? = nil, now: Date, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.host = host
    self.port = port
    self.presentedChain = presentedChain
    self.verifiedChain = verifiedChain
    self.verificationFailure = verificationFailure
    self.stapledOCSPResponse = stapledOCSPResponse
    self.certificateAuthorities = certificateAuthorities
    self.additionalCertificateAuthorities = additionalCertificateAuthorities
    self.now = now
    self.warn = warn
  }
}
