import LupineCore

extension Session.Builder {
  /// Checks the trust rules and creates the policy; adds warnings about risky rules to the configuration.
  func checkedTrust(_ configuration: inout SessionConfiguration, _ issues: inout [ConfigurationIssue]) -> TrustPolicy? {
    guard !trustRules.isEmpty || trustFallback != nil else { return nil }
    require(.trustEvaluation, "trust", &issues)
    let now = configuration.now()
    var rules: [(HostPattern, any TrustEvaluator)] = []
    var spellings: [HostPattern: String] = [:]
    for (text, evaluator) in trustRules {
      issues += evaluator.issues.map { ConfigurationIssue(part: "trust", reason: "\(text): \($0)") }
      configuration.warnings += evaluator.warnings(now: now).map {
        ConfigurationIssue(part: "trust", reason: "\(text): \($0)")
      }
      guard let pattern = HostPattern(text) else {
        issues.append(
          ConfigurationIssue(
            part: "trust", reason: "\"\(text)\" is neither a host name nor *. and a domain of two labels"))
        continue
      }
      if let other = spellings.updateValue(text, forKey: pattern) {
        issues.append(
          ConfigurationIssue(
            part: "trust", reason: "\"\(other)\" and \"\(text)\" are one pattern, which has one evaluator"))
      }
      rules.append((pattern, evaluator))
    }
    for reason in trustFallback?.issues ?? [] {
      issues.append(ConfigurationIssue(part: "trust", reason: "otherwise: \(reason)"))
    }
    for reason in trustFallback?.warnings(now: now) ?? [] {
      configuration.warnings.append(ConfigurationIssue(part: "trust", reason: "otherwise: \(reason)"))
    }
    return TrustPolicy(rules: rules, fallback: trustFallback)
  }

  /// Checks the client certificate and the TLS versions against the transport's capabilities.
  func checkIdentity(_ identity: ConnectionKey, _ issues: inout [ConfigurationIssue]) {
    if identity.clientCertificate != nil { require(.clientCertificates, "clientCertificate", &issues) }
    guard identity.minimumTLSVersion != nil || identity.maximumTLSVersion != nil else { return }
    require(.tlsVersions, "tlsVersions", &issues)
    if let minimum = identity.minimumTLSVersion, let maximum = identity.maximumTLSVersion, minimum > maximum {
      issues.append(
        ConfigurationIssue(
          part: "tlsVersions", reason: "the oldest, \(minimum.rawValue), is newer than \(maximum.rawValue)"))
    }
  }
}
