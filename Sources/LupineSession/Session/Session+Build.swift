import HTTPTypes
public import LupineCore
import LupineFoundation
import LupineSupport

extension Session.Builder {
  /// Checks that the parts of the session are compatible and creates the session.
  ///
  /// Within `TransportOverride`, as in some tests, the transport is the one that the override returns.
  ///
  /// - Throws: `LupineError` of kind `configuration` that lists every issue of the configuration, or of kind `other` if
  ///   Swift's threads do not run yet and the process has too few descriptors left to start them.
  public func build() throws(LupineError) -> Session {
    if let code = SwiftRuntime.start() { throw Self.runtimeError(code) }
    guard let transport, let wrap = TransportOverride.wrap else { return try assembled() }
    return try changed { $0.transport = wrap(transport) }.assembled()
  }

  private func assembled() throws(LupineError) -> Session {
    var configuration = configuration
    var issues = issues
    configuration.baseURL = checkedBaseURL(&issues)
    configuration.now = givenDate ?? dateOfClock ?? configuration.now
    configuration.trustPolicy = checkedTrust(&configuration, &issues)
    configuration.connectionKey.trustPolicy = configuration.trustPolicy?.id
    checkConnectionKey(configuration.connectionKey, &issues)
    checkConnectionCredential(&issues)
    checkRoute(&configuration, &issues)
    configuration.freePublicFields()
    configuration.contentCodings = ContentCodings(codings)
    configuration.schemes = AuthenticationSchemes(schemes)
    checkScopes(configuration, &issues)
    configuration.timeouts = givenTimeouts ?? defaultTimeouts
    configuration.timeouts.total = configuration.timeouts.total ?? pluginTimeouts.total
    configuration.timeouts.attempt = configuration.timeouts.attempt ?? pluginTimeouts.attempt
    checkTimeouts(configuration.timeouts, &issues)
    guard let transport else {
      issues.append(ConfigurationIssue(part: "transport", reason: "there is none; add .transport(.native) or a mock"))
      throw Self.error(issues)
    }
    issues += transport.issues(with: configuration.connectionKey)
    let layers = makeLayers(&issues)
    guard issues.isEmpty else { throw Self.error(issues) }
    DefaultFields.complete(&configuration)
    configuration.cookieStore = configuration.makeCookieStore?()
    if let monitor = transport.makeMonitor() { configuration.monitors.append(monitor) }
    let session = Session(configuration, transport, layers)
    SessionEnvironment.current?.onBuild { [weak session] in session?.runningRequests ?? [] }
    return session
  }

  private static func runtimeError(_ code: Int32) -> LupineError {
    LupineError(
      .other,
      "Swift's threads cannot be started: the limit of open files is reached (errno \(code)). Close some, or raise the "
        + "limit (ulimit -n).")
  }

  private static func error(_ issues: [ConfigurationIssue]) -> LupineError {
    // A reason that is the message of another error ends in a full stop.
    let issues = issues.map { issue in
      let reason = issue.reason.hasSuffix(".") ? String(issue.reason.dropLast()) : issue.reason
      return ConfigurationIssue(part: issue.part, reason: reason)
    }
    let reasons = issues.map(\.description).joined(separator: "; ")
    return LupineError(.configuration(issues), "The session cannot be built: \(reasons).")
  }

  private func checkedBaseURL(_ issues: inout [ConfigurationIssue]) -> HTTPURL? {
    guard let baseURLText else { return nil }
    do throws(LupineError) {
      let url = try HTTPURL(baseURLText)
      if url.query != nil || url.fragment != nil {
        issues.append(ConfigurationIssue(part: "baseURL", reason: "a base URL has no query and no fragment"))
      }
      if url.scheme == .https { require(.tls, "baseURL", &issues) }
      return url
    } catch {
      issues.append(ConfigurationIssue(part: "baseURL", reason: error.message))
      return nil
    }
  }

  /// Checks the credential scopes of default fields, adapters and the connection credential.
  private func checkScopes(_ configuration: SessionConfiguration, _ issues: inout [ConfigurationIssue]) {
    func check(_ part: String, _ secret: String, _ scope: CredentialScope?) {
      let problems = scope?.problems(of: secret, hasBaseURL: baseURLText != nil) ?? []
      issues += problems.map { ConfigurationIssue(part: part, reason: $0) }
    }
    for field in configuration.defaultFields { check("header", "the secret field \(field.field.name)", field.scope) }
    for adapter in configuration.adapters {
      check("adapter", "the secret of \(type(of: adapter))", adapter.credentialScope)
    }
    check("connectionCredential", "the credential", configuration.connectionCredential?.scope)
  }

  /// The default timeouts; without `idle` if the transport is virtual and the clock is the system's.
  private var defaultTimeouts: Timeouts {
    var timeouts = Timeouts()
    let isSystemClock = configuration.clock is ContinuousClock || configuration.clock is SuspendingClock
    if isSystemClock, let transport, transport.isVirtual { timeouts.idle = nil }
    return timeouts
  }

  /// The date of a `DatedClock`, unless the transport has a network: a test date makes real certificates invalid.
  private var dateOfClock: (@Sendable () -> Date)? {
    transport.map { $0.capabilities.contains(.networking) } == true ? nil : clockDate
  }

  private func checkTimeouts(_ timeouts: Timeouts, _ issues: inout [ConfigurationIssue]) {
    issues += timeouts.issues.map { ConfigurationIssue(part: "timeouts", reason: $0) }
  }
}

extension Session.Builder {
  /// Checks the trust rules and creates the policy; adds warnings about risky rules to the configuration.
  func checkedTrust(_ configuration: inout SessionConfiguration, _ issues: inout [ConfigurationIssue]) -> TrustPolicy? {
    guard !trustRules.isEmpty || trustFallback != nil else { return nil }
    require([.trustEvaluation, .tls], "trust", &issues)
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
            part: "trust",
            reason: "\"\(other)\" and \"\(text)\" are the same pattern, which can have only one evaluator"))
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

  /// Checks the client certificate, the authorities and the TLS versions against the transport's capabilities.
  func checkConnectionKey(_ key: ConnectionKey, _ issues: inout [ConfigurationIssue]) {
    if key.clientCertificate != nil { require([.clientCertificates, .tls], "clientCertificate", &issues) }
    if key.certificateAuthorities != nil { require(.tls, "certificateAuthorities", &issues) }
    if key.additionalCertificateAuthorities != nil { require(.tls, "additionalCertificateAuthorities", &issues) }
    guard key.minimumTLSVersion != nil || key.maximumTLSVersion != nil else { return }
    require([.tlsVersions, .tls], "tlsVersions", &issues)
    if let minimum = key.minimumTLSVersion, let maximum = key.maximumTLSVersion, minimum > maximum {
      issues.append(
        ConfigurationIssue(
          part: "tlsVersions", reason: "the oldest, \(minimum.rawValue), is newer than \(maximum.rawValue)"))
    }
  }
}
