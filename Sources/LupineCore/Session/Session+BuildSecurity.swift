extension Session.Builder {
  /// Checks what was said about trust and makes the policy of it; what is risky goes to the configuration's warnings.
  func checkedTrust(_ configuration: inout SessionConfiguration, _ mismatches: inout [Mismatch]) -> TrustPolicy? {
    guard !trustRules.isEmpty || trustFallback != nil else { return nil }
    require(.trustEvaluation, "trust", &mismatches)
    let now = configuration.now()
    var rules: [(HostPattern, any TrustEvaluator)] = []
    var spellings: [HostPattern: String] = [:]
    for (text, evaluator) in trustRules {
      mismatches += evaluator.mismatches.map { Mismatch(part: "trust", reason: "\(text): \($0)") }
      configuration.warnings += evaluator.warnings(now: now).map { Mismatch(part: "trust", reason: "\(text): \($0)") }
      guard let pattern = HostPattern(text) else {
        mismatches.append(
          Mismatch(part: "trust", reason: "\"\(text)\" is neither a host name nor *. and a domain of two labels"))
        continue
      }
      if let other = spellings.updateValue(text, forKey: pattern) {
        mismatches.append(
          Mismatch(part: "trust", reason: "\"\(other)\" and \"\(text)\" are one pattern, which has one evaluator"))
      }
      rules.append((pattern, evaluator))
    }
    for reason in trustFallback?.mismatches ?? [] {
      mismatches.append(Mismatch(part: "trust", reason: "otherwise: \(reason)"))
    }
    for reason in trustFallback?.warnings(now: now) ?? [] {
      configuration.warnings.append(Mismatch(part: "trust", reason: "otherwise: \(reason)"))
    }
    return TrustPolicy(rules: rules, fallback: trustFallback)
  }

  /// Checks the files of root certificates that are named, where the transport reads them.
  func checkAuthorities(_ identity: SecurityIdentity, of transport: any Transport, _ mismatches: inout [Mismatch]) {
    // Asked last, since a cast to a protocol takes long at a program's start.
    guard identity.namesAuthorities, let transport = transport as? any RootReadingTransport else { return }
    let files = [
      ("certificateAuthorities", identity.certificateAuthorities),
      ("additionalCertificateAuthorities", identity.additionalCertificateAuthorities),
    ]
    for (part, path) in files {
      guard let path, let reason = transport.problem(ofRoots: path) else { continue }
      mismatches.append(Mismatch(part: part, reason: reason))
    }
  }

  /// Checks what a connection must be like against what the transport can do.
  func checkIdentity(_ identity: SecurityIdentity, _ mismatches: inout [Mismatch]) {
    if identity.clientCertificate != nil { require(.clientCertificates, "clientCertificate", &mismatches) }
    guard identity.minimumTLSVersion != nil || identity.maximumTLSVersion != nil else { return }
    require(.tlsVersions, "tlsVersions", &mismatches)
    if let minimum = identity.minimumTLSVersion, let maximum = identity.maximumTLSVersion, minimum > maximum {
      mismatches.append(
        Mismatch(part: "tlsVersions", reason: "the oldest, \(minimum.rawValue), is newer than \(maximum.rawValue)"))
    }
  }
}
