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
    case .sha512Over256: 30
    }
  }
}
