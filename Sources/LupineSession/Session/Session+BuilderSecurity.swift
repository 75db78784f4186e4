public import LupineCore

extension Session.Builder {
  /// Sets the file of root certificates, in PEM, that is trusted instead of the system's.
  ///
  /// libcurl's transport refuses a session whose file cannot be read when it is built; it reads the file before its first
  /// connection with TLS, and again before a new one once the file has
  /// changed; while the file is missing or may not be read, what was read last counts. A file without certificates is an
  /// error of kind `configuration`. Connections that are open stay.
  public func certificateAuthorities(_ path: String) -> Self {
    changed { $0.configuration.identity.certificateAuthorities = path }
  }

  /// Sets a file of root certificates, in PEM, that is trusted on top of the system's, or of those that stand in their
  /// place.
  ///
  /// Changes of the file count as those of `certificateAuthorities(_:)`.
  public func additionalCertificateAuthorities(_ path: String) -> Self {
    changed { $0.configuration.identity.additionalCertificateAuthorities = path }
  }

  /// Sets the certificate that is shown to servers that ask for one.
  public func clientCertificate(_ certificate: ClientCertificate) -> Self {
    changed { $0.configuration.identity.clientCertificate = certificate }
  }

  /// Sets the oldest and the newest version of TLS that is spoken; `nil` as the newest sets no bound.
  ///
  /// Default: 1.2 and newer.
  public func tlsVersions(minimum: TLSVersion = .tls1_2, maximum: TLSVersion? = nil) -> Self {
    changed {
      $0.configuration.identity.minimumTLSVersion = minimum
      $0.configuration.identity.maximumTLSVersion = maximum
    }
  }

  /// Sets who judges which server's certificates.
  ///
  /// A pattern is a host name or an address, or `*.` and a domain for the names one label below it, each with a port
  /// behind a colon or without. An exact name comes before a wildcard, and a pattern with a port before one without.
  /// Calls add up; of a pattern that is given again, in whatever spelling, the last evaluator counts. Two spellings of one
  /// pattern in one call are refused by `build()`.
  ///
  /// - Parameters:
  ///   - evaluators: patterns and who judges the hosts they match.
  ///   - fallback: who judges all other hosts; `.refuse` trusts none. `nil` keeps what an earlier call said, and without
  ///     one leaves them to the transport's own trust.
  public func trust(_ evaluators: [String: any TrustEvaluator], otherwise fallback: (any TrustEvaluator)? = nil) -> Self
  {
    changed {
      let patterns = Set(evaluators.keys.compactMap { HostPattern($0) })
      $0.trustRules.removeAll { rule in
        evaluators[rule.pattern] != nil || HostPattern(rule.pattern).map { patterns.contains($0) } == true
      }
      $0.trustRules += evaluators.map { (pattern: $0.key, evaluator: $0.value) }.sorted { $0.pattern < $1.pattern }
      if let fallback { $0.trustFallback = fallback }
    }
  }
}

extension Session.Builder {
  /// Sets what proves connections to servers, with NTLM or Negotiate.
  ///
  /// Such a connection serves this credential alone. After a redirect to another origin, the rest of a request goes without
  /// it.
  ///
  /// - Parameter scope: the servers it is for. Default: the origin of the base URL.
  public func connectionCredential(
    _ credential: ConnectionCredential, to scope: CredentialScope = .baseURL
  ) -> Self {
    changed { $0.configuration.connectionCredential = ScopedConnectionCredential(credential: credential, scope: scope) }
  }

  /// Checks what was said about it against what the transport can do.
  func checkConnectionCredential(_ issues: inout [ConfigurationIssue]) {
    guard let given = configuration.connectionCredential else { return }
    let part = "connectionCredential"
    require(.connectionAuthentication, part, &issues)
    issues += given.credential.problems.map { ConfigurationIssue(part: part, reason: $0) }
  }
}
