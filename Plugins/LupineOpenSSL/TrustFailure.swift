import LupineCore
import LupineFoundation

/// The reason why a server is not trusted.
public struct TrustFailure: Error, Sendable, Hashable {
  /// A check of a server's certificates.
  public enum Check: String, Sendable, Hashable {
    /// The server presented certificates that can be read, within the limits.
    case presentation
    /// A chain leads from the server's certificate to a trusted root.
    case chain
    /// The certificate matches the host, and its authorities may sign for the host.
    case hostName
    /// The verified chain contains one of the pinned certificates or keys.
    case pin
    /// The certificate is not revoked.
    case revocation
  }

  /// The check that failed.
  public let check: Check
  /// The requested host.
  public let host: String
  /// The certificate that failed the check; `nil` if the failure concerns no single certificate.
  public let certificate: Certificate?
  /// The reason for the failure; OpenSSL's own text if OpenSSL reported it.
  public let reason: String
  /// Advice on how to solve the problem.
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
  /// The host, the check, the reason, the certificate and the advice.
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
