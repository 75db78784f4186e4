import FoundationEssentials
import LupineCore

/// Why a server is not trusted.
public struct TrustFailure: Error, Sendable, Hashable {
  /// Which check it did not pass.
  public enum Check: String, Sendable, Hashable {
    /// The server's certificates, as they came, can be read.
    case presentation
    /// A chain leads from the server's certificate to a trusted root.
    case chain
    /// The certificate names the host.
    case hostName
    /// One of the pinned certificates or keys is in the verified chain.
    case pin
    /// The certificate is not revoked.
    case revocation
  }

  /// Which check it did not pass.
  public let check: Check
  /// The host that was asked.
  public let host: String
  /// The certificate that did not pass, where it is one of them.
  public let certificate: Certificate?
  /// What is wrong; OpenSSL's own text where it comes from there.
  public let reason: String
  /// What to do about it.
  public let advice: String

  init(_ check: Check, _ trust: ServerTrust, _ certificate: Certificate?, _ reason: String, advice: String) {
    self.check = check
    host = trust.host
    self.certificate = certificate
    self.reason = reason
    self.advice = advice
  }
}

extension TrustFailure: CustomStringConvertible {
  /// Everything, in a few sentences.
  public var description: String {
    let about = certificate.map { " Certificate: \($0)." } ?? ""
    return "\(host) did not pass the check of its \(name): \(reason).\(about) \(advice)"
  }

  private var name: String {
    switch check {
    case .presentation: "certificates"
    case .chain: "chain"
    case .hostName: "name"
    case .pin: "pins"
    case .revocation: "revocation"
    }
  }
}
