import LupineCore

/// A parsed challenge of the Digest scheme (RFC 7616 section 3.3).
struct DigestChallenge: Sendable {
  let realm: String
  let nonce: String
  let opaque: String?
  let algorithm: DigestAlgorithm
  /// The chosen quality of protection; `nil` for an RFC 2069 server, which sends no `qop` or an empty one.
  let protection: Protection?
  let hashesUsername: Bool
  /// The protection space as URI references; empty means the whole origin.
  let domain: [String]

  /// The quality of protection (`qop`).
  enum Protection: String, Sendable {
    case request = "auth"
    case requestAndBody = "auth-int"
  }

  /// Parses a challenge; `nil` if a required parameter is missing, or the algorithm or every `qop` is unknown.
  init?(_ challenge: AuthenticationChallenge) {
    let parameters = challenge.parameters
    guard let realm = parameters["realm"], let nonce = parameters["nonce"],
      let algorithm = DigestAlgorithm(parameters["algorithm"])
    else { return nil }
    let offered = parameters["qop"].map { text in
      text.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }
    // An empty list counts as a missing one, although RFC 7616 section 3.3 requires a value.
    if let offered, !offered.isEmpty {
      guard let protection = [Protection.request, .requestAndBody].first(where: { offered.contains($0.rawValue) })
      else { return nil }
      self.protection = protection
    } else {
      // RFC 2069 has no `qop` and no client nonce, and its only algorithm is MD5.
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

/// An algorithm of Digest authentication (RFC 7616 section 3.3).
struct DigestAlgorithm: Sendable, Hashable {
  let function: HashFunction
  /// Whether the hash of the password includes the first nonces (`-sess`).
  let isSession: Bool
  /// The name as the server sent it; `nil` if the server sent none, which means MD5.
  let name: String?

  init?(_ name: String?) {
    let lower = name?.lowercased() ?? "md5"
    isSession = lower.hasSuffix("-sess")
    switch isSession ? String(lower.dropLast(5)) : lower {
    case "md5": function = .md5
    case "sha-256": function = .sha256
    case "sha-512-256": function = .sha512Over256
    default: return nil
    }
    self.name = name
  }

  var strength: Int {
    switch function {
    case .md5: 10
    case .sha256: 20
    case .sha512Over256, .sha512: 30
    }
  }
}
