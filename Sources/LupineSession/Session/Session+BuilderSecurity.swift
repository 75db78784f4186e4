public import LupineCore

extension Session.Builder {
  /// Sets the file of root certificates, in PEM, that replaces the system's.
  ///
  /// With the libcurl transport, `build()` throws if the file cannot be read. The transport reads the file before its
  /// first TLS connection, and reads it again before a new connection if the file has changed. While the file is
  /// missing or unreadable, the last contents apply. A file without certificates is an error of kind `configuration`.
  /// Open connections are not affected.
  public func certificateAuthorities(_ path: String) -> Self {
    changed { $0.configuration.identity.certificateAuthorities = path }
  }

  /// Sets a file of root certificates, in PEM, that is trusted in addition to the system's or their replacement.
  ///
  /// Changes of the file have the same effect as those of `certificateAuthorities(_:)`.
  public func additionalCertificateAuthorities(_ path: String) -> Self {
    changed { $0.configuration.identity.additionalCertificateAuthorities = path }
  }

  /// Sets the client certificate, which is sent to servers that request one.
  public func clientCertificate(_ certificate: ClientCertificate) -> Self {
    changed { $0.configuration.identity.clientCertificate = certificate }
  }

  /// Sets the minimum and maximum TLS version; a maximum of `nil` sets no upper bound.
  ///
  /// Default: 1.2 and newer.
  public func tlsVersions(minimum: TLSVersion = .tls1_2, maximum: TLSVersion? = nil) -> Self {
    changed {
      $0.configuration.identity.minimumTLSVersion = minimum
      $0.configuration.identity.maximumTLSVersion = maximum
    }
  }

  /// Sets the evaluators of server certificates by host pattern.
  ///
  /// A pattern is a host name, an address, or `*.` and a domain, which matches names one label below the domain; each
  /// may end in a colon and a port. An exact name has precedence over a wildcard, and a pattern with a port over one
  /// without. Calls add up. If a later call repeats a pattern, in any spelling, its evaluator replaces the earlier one.
  /// `build()` throws if one call contains two spellings of one pattern.
  ///
  /// - Parameters:
  ///   - evaluators: the patterns and the evaluators of the hosts that they match.
  ///   - fallback: the evaluator of all other hosts; `.refuse` trusts none. `nil` keeps the fallback of an earlier
  ///     call; without one, the transport's own trust applies.
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
  /// Sets the credential that authenticates connections to servers, with NTLM or Negotiate.
  ///
  /// A connection that is authenticated with it is used with this credential only. After a redirect to another origin,
  /// the request continues without it.
  ///
  /// - Parameter scope: the origins that it is for. Default: the origin of the base URL.
  public func connectionCredential(
    _ credential: ConnectionCredential, to scope: CredentialScope = .baseURL
  ) -> Self {
    changed { $0.configuration.connectionCredential = ScopedConnectionCredential(credential: credential, scope: scope) }
  }

  /// Checks the connection credential against the transport's capabilities.
  func checkConnectionCredential(_ issues: inout [ConfigurationIssue]) {
    guard let given = configuration.connectionCredential else { return }
    let part = "connectionCredential"
    require(.connectionAuthentication, part, &issues)
    issues += given.credential.problems.map { ConfigurationIssue(part: part, reason: $0) }
  }
}
