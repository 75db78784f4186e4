import HTTPTypes
public import LupineCore
import LupineFoundation
import LupineSupport

extension Session.Builder {
  /// Checks that the parts of the session are compatible and creates the session.
  ///
  /// Within `TransportOverride`, as in some tests, each transport is the one that the override returns.
  ///
  /// - Throws: `LupineError` of kind `configuration` that lists every issue of the configuration, or of kind `other` if
  ///   Swift's threads do not run yet and the process has too few descriptors left to start them.
  public func build() throws(LupineError) -> Session {
    if let code = SwiftRuntime.start() { throw Self.runtimeError(code) }
    guard let wrap = TransportOverride.wrap else { return try assembled() }
    return try changed { builder in
      builder.transport = transport.map(wrap)
      for index in builder.transportRoutes.indices {
        builder.transportRoutes[index].transport = wrap(builder.transportRoutes[index].transport)
      }
    }.assembled()
  }

  private func assembled() throws(LupineError) -> Session {
    var assembly = SessionAssembly(self)
    return try assembly.session()
  }

  private static func runtimeError(_ code: Int32) -> LupineError {
    LupineError(
      .other,
      "Swift's threads cannot be started: the limit of open files is reached (errno \(code)). Close some, or raise the "
        + "limit (ulimit -n).")
  }
}

/// Checks the parts of a builder, and makes the session of them; used once, by `build()`.
struct SessionAssembly {
  let builder: Session.Builder
  /// The transports with their URLs; `nil` if there is none for all URLs.
  let routes: TransportRoutes?
  /// The configuration of the session; the checks complete it.
  var configuration: SessionConfiguration
  /// The reasons why the parts do not fit, so far.
  var issues: [ConfigurationIssue]

  init(_ builder: Session.Builder) {
    self.builder = builder
    routes = builder.transport.map { TransportRoutes($0, builder.transportRoutes) }
    configuration = builder.configuration
    issues = builder.issues
  }

  /// The transports, each once; empty if there is none for all URLs.
  private var transports: [any Transport] { routes?.all ?? [] }

  /// Adds an issue.
  mutating func refuse(_ part: String, _ reason: String) {
    issues.append(ConfigurationIssue(part: part, reason: reason))
  }

  /// Adds an issue for each reason.
  mutating func refuse(_ part: String, _ reasons: [String]) {
    for reason in reasons { refuse(part, reason) }
  }

  /// Checks the parts, and makes the session.
  mutating func session() throws(LupineError) -> Session {
    configuration.baseURL = checkedBaseURL()
    configuration.now = builder.givenDate ?? dateOfTransports ?? dateOfClock ?? configuration.now
    checkProxies()
    configuration.trustPolicy = checkedTrust()
    configuration.tolerances = checkedTolerances()
    configuration.connectionKey.trustPolicy = configuration.trustPolicy?.id
    checkConnectionKey(configuration.connectionKey)
    checkConnectionCredential()
    checkRoute()
    configuration.freePublicFields()
    configuration.contentCodings = ContentCodings(builder.codings)
    configuration.schemes = AuthenticationSchemes(builder.schemes)
    checkScopes()
    configuration.timeouts = builder.givenTimeouts ?? defaultTimeouts
    configuration.timeouts.total = configuration.timeouts.total ?? builder.pluginTimeouts.total
    configuration.timeouts.attempt = configuration.timeouts.attempt ?? builder.pluginTimeouts.attempt
    refuse("timeouts", configuration.timeouts.issues)
    checkPatterns()
    guard let standard = builder.transport, let routes else {
      refuse(
        "transport",
        "there is none\(builder.transportRoutes.isEmpty ? "" : " for other hosts"); "
          + "add .transport(.native) or a mock")
      throw Self.error(issues)
    }
    for transport in transports { issues += transport.issues(with: configuration.connectionKey) }
    let layers = makeLayers()
    guard issues.isEmpty else { throw Self.error(issues) }
    DefaultFields.complete(&configuration)
    configuration.cookieStore = configuration.makeCookieStore?()
    configuration.monitors += transports.compactMap { $0.makeMonitor() }
    let session = Session(configuration, builder.transportRoutes.isEmpty ? standard : routes, layers)
    SessionEnvironment.current?.onBuild { [weak session] in session?.runningRequests ?? [] }
    return session
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

  private mutating func checkedBaseURL() -> HTTPURL? {
    guard let baseURLText = builder.baseURLText else { return nil }
    do throws(LupineError) {
      let url = try HTTPURL(baseURLText)
      if url.query != nil || url.fragment != nil {
        refuse("baseURL", "a base URL has no query and no fragment")
      }
      if url.scheme == .https { require(.tls, "baseURL", for: [url]) }
      return url
    } catch {
      refuse("baseURL", error.message)
      return nil
    }
  }

  /// Makes the layers, from the outermost to the innermost.
  private mutating func makeLayers() -> [any ExchangeLayer] {
    if let ordered = PlacedLayer.ordered(builder.layers) { return ordered.map { $0.make() } }
    let names = builder.layers.map { "\($0.name)" }.joined(separator: ", ")
    refuse("exchangeLayer", "the positions of the layers contradict each other; the layers are \(names)")
    return []
  }

  /// Checks the credential scopes of default fields, adapters and the connection credential.
  private mutating func checkScopes() {
    func check(_ part: String, _ secret: String, _ scope: CredentialScope?) {
      refuse(part, scope?.problems(of: secret, hasBaseURL: builder.baseURLText != nil) ?? [])
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
    if isSystemClock, !transports.isEmpty, transports.allSatisfy(\.isVirtual) { timeouts.idle = nil }
    return timeouts
  }

  /// The date of a replay on a virtual clock.
  private var dateOfTransports: (@Sendable () -> Date)? {
    guard let clock = configuration.clock as? any DatedClock, transports.allSatisfy(\.isVirtual) else { return nil }
    for transport in transports { if let date = transport.date(on: clock) { return date } }
    return nil
  }

  /// The date of a `DatedClock`, unless the transport has a network: a test date makes real certificates invalid.
  ///
  /// A transport that plays a recording has the capability, and no network.
  private var dateOfClock: (@Sendable () -> Date)? {
    transports.contains { $0.capabilities.contains(.networking) && !$0.isVirtual } ? nil : builder.clockDate
  }
}

extension SessionAssembly {
  /// Checks the trust rules and creates the policy; adds warnings about risky rules to the configuration.
  mutating func checkedTrust() -> TrustPolicy? {
    guard !builder.trustRules.isEmpty || builder.trustFallback != nil else { return nil }
    require([.trustEvaluation, .tls], "trust")
    let now = configuration.now()
    var rules: [(HostPattern, any TrustEvaluator)] = []
    var spellings: [HostPattern: String] = [:]
    for (text, evaluator) in builder.trustRules {
      refuse("trust", evaluator.issues.map { "\(text): \($0)" })
      configuration.warnings += evaluator.warnings(now: now).map {
        ConfigurationIssue(part: "trust", reason: "\(text): \($0)")
      }
      guard let pattern = checkedPattern(text, "trust") else { continue }
      if let other = spellings.updateValue(text, forKey: pattern) {
        refuse("trust", "\"\(other)\" and \"\(text)\" are the same pattern, which can have only one evaluator")
      }
      rules.append((pattern, evaluator))
    }
    refuse("trust", (builder.trustFallback?.issues ?? []).map { "otherwise: \($0)" })
    for reason in builder.trustFallback?.warnings(now: now) ?? [] {
      configuration.warnings.append(ConfigurationIssue(part: "trust", reason: "otherwise: \(reason)"))
    }
    return TrustPolicy(rules: rules, fallback: builder.trustFallback)
  }

  private mutating func checkedPattern(_ text: String, _ part: String) -> HostPattern? {
    let pattern = HostPattern(text)
    if pattern == nil { refuse(part, Self.notAPattern(text)) }
    return pattern
  }

  static func notAPattern(_ text: String) -> String {
    "\"\(text)\" is neither a host name nor *. and a domain of two labels"
  }

  private mutating func checkedTolerances() -> HostRules<ResponseTolerances> {
    guard !builder.toleranceRules.isEmpty else { return HostRules() }
    require(.responseTolerances, "tolerating")
    var rules: [(HostPattern, ResponseTolerances)] = []
    for (text, tolerances) in builder.toleranceRules {
      if let pattern = checkedPattern(text, "tolerating") { rules.append((pattern, tolerances)) }
    }
    return HostRules(rules)
  }

  mutating func checkConnectionCredential() {
    guard let given = configuration.connectionCredential else { return }
    require(.connectionAuthentication, "connectionCredential", for: given.scope.urls(baseURL: configuration.baseURL))
    refuse("connectionCredential", given.credential.issues)
  }

  /// Checks the client certificate, the authorities and the TLS versions against the transport's capabilities.
  mutating func checkConnectionKey(_ key: ConnectionKey) {
    if key.clientCertificate != nil { require([.clientCertificates, .tls], "clientCertificate") }
    if key.certificateAuthorities != nil { require(.tls, "certificateAuthorities") }
    if key.additionalCertificateAuthorities != nil { require(.tls, "additionalCertificateAuthorities") }
    guard key.minimumTLSVersion != nil || key.maximumTLSVersion != nil else { return }
    require([.tlsVersions, .tls], "tlsVersions")
    if let minimum = key.minimumTLSVersion, let maximum = key.maximumTLSVersion, minimum > maximum {
      refuse("tlsVersions", "the oldest, \(minimum.rawValue), is newer than \(maximum.rawValue)")
    }
  }
}
