import LupineCore

/// A challenge of the Digest scheme, understood (RFC 7616 section 3.3).
struct DigestChallenge: Sendable {
  let realm: String
  let nonce: String
  let opaque: String?
  let algorithm: DigestAlgorithm
  /// What the answer protects; `nil` for a server of RFC 2069's time, which knows no `qop`.
  let protection: Protection?
  let hashesUsername: Bool
  /// The places that share the credential; empty means the whole origin.
  let domain: [String]

  /// What an answer protects.
  enum Protection: String, Sendable {
    case request = "auth"
    case requestAndBody = "auth-int"
  }

  /// Understands a challenge; `nil` where a required part is missing or nothing that it offers is known.
  init?(_ challenge: AuthenticationChallenge) {
    let parameters = challenge.parameters
    guard let realm = parameters["realm"], let nonce = parameters["nonce"],
      let algorithm = DigestAlgorithm(parameters["algorithm"])
    else { return nil }
    let offered = parameters["qop"].map { text in
      text.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }
    if let offered {
      guard let protection = [Protection.request, .requestAndBody].first(where: { offered.contains($0.rawValue) })
      else { return nil }
      self.protection = protection
    } else {
      // Without a nonce of ours the answer is as weak as MD5, and only servers of that time ask for it.
      guard algorithm.function == .md5, !algorithm.isSession else { return nil }
      protection = nil
    }
    self.realm = realm
    self.nonce = nonce
    self.algorithm = algorithm
    opaque = parameters["opaque"]
    hashesUsername = parameters["userhash"]?.lowercased() == "true"
    domain = parameters["domain"]?.split(separator: " ").map(String.init) ?? []
  }

  static func isStale(_ challenge: AuthenticationChallenge) -> Bool {
    challenge.parameters["stale"]?.lowercased() == "true"
  }
}
