public import FoundationEssentials

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
