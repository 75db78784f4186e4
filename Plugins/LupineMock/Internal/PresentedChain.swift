import FoundationEssentials

/// The certificates that a host presents in its TLS handshake.
struct PresentedChain: Sendable {
  let presented: [Data]
  let verified: [Data]?
  let verificationFailure: String?
  let stapledOCSPResponse: Data?
}
