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
  public var verifiedChain: [Data]?
  /// Why the transport's own verification failed, in its library's words; `nil` where it succeeded.
  public var verificationFailure: String?
  /// The OCSP response that the server stapled, in DER (RFC 6066 section 8).
  public var stapledOCSPResponse: Data?
  /// The time to judge by.
  public var now: Date

  /// Joins what a server presented.
  public init(
    host: String, port: Int, presentedChain: [Data], verifiedChain: [Data]? = nil, verificationFailure: String? = nil,
    stapledOCSPResponse: Data? = nil, now: Date
  ) {
    self.host = host
    self.port = port
    self.presentedChain = presentedChain
    self.verifiedChain = verifiedChain
    self.verificationFailure = verificationFailure
    self.stapledOCSPResponse = stapledOCSPResponse
    self.now = now
  }
}
