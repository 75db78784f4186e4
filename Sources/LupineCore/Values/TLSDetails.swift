public import LupineFoundation
import LupineSupport

/// The TLS details of a connection.
public struct TLSDetails: Sendable, Hashable {
  /// The version of TLS in OpenSSL's notation, such as `TLSv1.3`.
  public var version: String {
    get { storage.value.version }
    _modify { yield &storage.value.version }
  }
  /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
  public var cipher: String {
    get { storage.value.cipher }
    _modify { yield &storage.value.cipher }
  }
  /// The protocol from the ALPN negotiation (RFC 7301), such as `h2`; `nil` without one.
  public var applicationProtocol: String? {
    get { storage.value.applicationProtocol }
    _modify { yield &storage.value.applicationProtocol }
  }
  /// The certificates that the server sent, in DER, its own first.
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

  /// Creates the details.
  public init(version: String, cipher: String, applicationProtocol: String? = nil, peerCertificates: [Data] = []) {
    storage = CopyOnWrite(
      Values(
        version: version, cipher: cipher, applicationProtocol: applicationProtocol, peerCertificates: peerCertificates))
  }
}

/// A version of TLS that a session may select.
///
/// Older versions are not supported.
public enum TLSVersion: String, Sendable, Hashable, Comparable, CaseIterable {
  /// TLS 1.2 (RFC 5246).
  case tls1_2 = "TLSv1.2"
  /// TLS 1.3 (RFC 8446).
  case tls1_3 = "TLSv1.3"

  /// Orders versions by age.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left == .tls1_2 && right == .tls1_3 }
}

/// The certificates of a server, without types of a TLS library.
public struct ServerTrust: Sendable {
  /// The host of the request, as in its URL.
  public var host: String
  /// The port of the request.
  public var port: Int
  /// The certificates that the server sent, in DER, its own first.
  public var presentedChain: [Data]
  /// The chain from the server's certificate to a trusted root, if the transport verified one.
  ///
  /// It does not show that the certificate matches the host name.
  public var verifiedChain: [Data]?
  /// The reason why the transport's own verification of the chain failed, as text of its TLS library.
  ///
  /// `nil` if it succeeded, or if the transport verifies nothing, as a mock does.
  public var verificationFailure: String?
  /// The stapled OCSP response of the server, in DER (RFC 6066 section 8).
  public var stapledOCSPResponse: Data?
  /// The PEM file of root certificates that replaces the system's.
  public var certificateAuthorities: String?
  /// The PEM file of root certificates that the session trusts in addition to the others.
  public var additionalCertificateAuthorities: String?
  /// The time for validity checks.
  public var now: Date
  /// Receives a warning about a trusted server, which becomes an event of kind `warning`.
  ///
  /// The evaluator calls it during the evaluation, on the same thread.
  public var warn: @Sendable (String) -> Void

  /// Creates the value.
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
