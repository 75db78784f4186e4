import FoundationEssentials
import LupineCore

/// Finds risks of valid pins.
enum PinLint {
  private static let notice: TimeInterval = 30 * 86_400

  static func warnings(keys: Int) -> [String] {
    keys == 1
      ? ["a single key is pinned: when the server loses it, no client can connect; pin a backup as well"] : []
  }

  static func expiries(_ certificates: [Certificate], now: Date) -> [String] {
    certificates.compactMap { certificate in
      let left = certificate.notAfter.timeIntervalSince(now)
      guard left < notice else { return nil }
      return left < 0
        ? "a pinned certificate has expired: \(certificate)"
        : "a pinned certificate expires in \(Int(left / 86_400)) days: \(certificate)"
    }
  }

  /// Emits a warning for each certificate of the chain that expires within 30 days.
  static func warn(of chain: [Certificate], to trust: ServerTrust) {
    for certificate in chain {
      let left = certificate.notAfter.timeIntervalSince(trust.now)
      guard left >= 0, left < notice else { continue }
      trust.warn("\(trust.host): a certificate expires in \(Int(left / 86_400)) days: \(certificate)")
    }
  }
}
