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
