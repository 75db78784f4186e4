import COpenSSL
public import LupineCore
import LupineX509

/// Makes OpenSSL offer the cipher suites and groups of a transport's configuration.
public enum OfferedAlgorithms {
  /// The name of the setting in errors.
  public static let part = "tlsAlgorithms"
  /// The largest finite field in bits that a server may choose, if a configuration names cipher suites that have one.
  static let finiteField = 4_096

  /// Returns one issue for each name that OpenSSL does not know, or whose algorithm it does not offer.
  public static func issues(with algorithms: TLSAlgorithms) -> [ConfigurationIssue] {
    guard algorithms != TLSAlgorithms(), let context = SSL_CTX_new(TLS_client_method()) else { return [] }
    defer { SSL_CTX_free(context) }
    var reasons: [String] = []
    if algorithms.cipherSuites?.isEmpty == true { reasons.append("the list of cipher suites is empty") }
    if algorithms.groups?.isEmpty == true { reasons.append("the list of groups is empty") }
    for suite in algorithms.cipherSuites ?? [] where !isOffered(suite, by: context) {
      reasons.append("OpenSSL offers no cipher suite with the name '\(suite)'")
    }
    for group in algorithms.groups ?? [] where !isSingleName(group) || lupine_set_groups(context, group) != 1 {
      reasons.append("OpenSSL offers no group with the name '\(group)'")
    }
    ERR_clear_error()
    return reasons.map { ConfigurationIssue(part: part, reason: $0) }
  }

  /// Makes the connections of a context offer the algorithms.
  ///
  /// - Throws: `LupineError` of kind `configuration` if OpenSSL refuses them.
  public static func apply(_ algorithms: TLSAlgorithms, to context: OpaquePointer) throws(LupineError) {
    if let issue = issues(with: algorithms).first {
      throw .unusable(issue.part, "No TLS connection can be made: \(issue.reason).")
    }
    SSL_CTX_set_security_callback(context, checkSecurity)
    let groups = algorithms.groups.map { $0.joined(separator: ":") } ?? defaultGroups
    guard lupine_set_groups(context, groups) == 1 else { throw failure("groups", groups) }
    guard let suites = algorithms.cipherSuites else {
      guard let defaultSuites, SSL_CTX_set_cipher_list(context, defaultSuites) == 1 else {
        throw failure("cipher suites", defaultSuites ?? "")
      }
      return
    }
    let newer = suites.filter(isForTLS13)
    let older = suites.filter { !isForTLS13($0) }.map(openSSLName)
    if !newer.isEmpty, SSL_CTX_set_ciphersuites(context, newer.joined(separator: ":")) != 1 {
      throw failure("cipher suites", newer.joined(separator: ", "))
    }
    if !older.isEmpty, SSL_CTX_set_cipher_list(context, older.joined(separator: ":")) != 1 {
      throw failure("cipher suites", older.joined(separator: ", "))
    }
    // A version of TLS without a name in the list keeps its default cipher suites.
    if older.isEmpty, let defaultSuites { SSL_CTX_set_cipher_list(context, defaultSuites) }
  }

  private static func failure(_ kind: String, _ names: String) -> LupineError {
    .unusable(part, "OpenSSL cannot offer the \(kind) '\(names)'. (\(OpenSSLText.takeError()))")
  }
}

extension OfferedAlgorithms {
  /// Whether a name is one of a cipher suite of TLS 1.3, whose names contain no key exchange (RFC 8446 appendix B.4).
  private static func isForTLS13(_ name: String) -> Bool { name.hasPrefix("TLS_") && !name.contains("_WITH_") }

  /// Whether a text is one name, and not a list or a rule of OpenSSL.
  private static func isSingleName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Returns OpenSSL's name of a cipher suite of TLS 1.2, from that name or from the registered one.
  private static func openSSLName(_ name: String) -> String {
    guard name.contains("_WITH_"), let found = OPENSSL_cipher_name(name) else { return name }
    let own = String(cString: found)
    return own == "(NONE)" ? name : own
  }

  /// Whether OpenSSL offers a cipher suite of this name; the context then offers no other suite of its version.
  private static func isOffered(_ name: String, by context: OpaquePointer) -> Bool {
    guard isSingleName(name) else { return false }
    if isForTLS13(name) { return SSL_CTX_set_ciphersuites(context, name) == 1 }
    let own = openSSLName(name)
    // OpenSSL also accepts the names of groups of cipher suites, such as HIGH.
    guard SSL_CTX_set_cipher_list(context, own) == 1 else { return false }
    return (0..<lupine_ciphers_count(context)).contains { index in
      SSL_CIPHER_get_name(lupine_cipher_at(context, index)).map { String(cString: $0) } == own
    }
  }

  /// The system's cipher suites before TLS 1.3, without those that use a finite field of the server's choice.
  private static let defaultSuites: String? = {
    guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    defer { SSL_CTX_free(context) }
    return (0..<lupine_ciphers_count(context)).compactMap { index -> String? in
      guard let suite = lupine_cipher_at(context, index), lupine_cipher_has_finite_field(suite) == 0,
        let name = SSL_CIPHER_get_name(suite)
      else { return nil }
      let text = String(cString: name)
      return isForTLS13(text) ? nil : text
    }
    .joined(separator: ":")
  }()

  /// The elliptic curves, and the hybrid of X25519 and ML-KEM where OpenSSL has it (3.5).
  ///
  /// With the hybrid, OpenSSL sends two key shares.
  private static let defaultGroups: String = {
    let curves = "X25519:P-256:X448:P-384:P-521"
    let hybrid = "*X25519MLKEM768:*" + curves
    guard let context = SSL_CTX_new(TLS_client_method()) else { return curves }
    defer {
      SSL_CTX_free(context)
      ERR_clear_error()
    }
    return lupine_set_groups(context, hybrid) == 1 ? hybrid : curves
  }()

  /// OpenSSL's own rules about security.
  private static let defaultSecurity: lupine_security_callback? = {
    guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    defer { SSL_CTX_free(context) }
    return SSL_CTX_get_security_callback(context)
  }()

  /// Refuses a finite field that is too large to compute with, and applies OpenSSL's own rules to everything else.
  private static let checkSecurity: lupine_security_callback = {
    connection, context, operation, bits, nid, value, argument in
    if lupine_is_finite_field_choice(operation) != 0, let value, lupine_key_bits(value) > finiteField {
      let handshake = connection.flatMap(HandshakeCallbacks.handshake(of:))
      handshake?.refuseKeyExchange(bits: Int(lupine_key_bits(value)))
      return 0
    }
    return defaultSecurity?(connection, context, operation, bits, nid, value, argument) ?? 0
  }
}
