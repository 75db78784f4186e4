import HTTPTypes
import LupineCoding
import LupineCore
import LupineFoundation

/// The checked, immutable settings of a session.
struct SessionConfiguration: Sendable {
  var baseURL: HTTPURL?
  var defaultFields: [DefaultField] = []
  /// The default fields, shared by all requests without their own fields; `nil` if one of the fields has a scope.
  var sharedFields: SharedFields?
  var secretFields = SecretFields.standard
  var timeouts = Timeouts()
  var limits = Limits()
  var parameterEncoder: any ParameterEncoder = URLEncodedFormParameterEncoder()
  var decodingDefaults = DecodingDefaults()
  var trustPolicy: TrustPolicy?
  var tolerances = HostRules<ResponseTolerances>()
  var connectionKey = ConnectionKey()
  /// The resolver whose number is in the key.
  var resolver: HostResolver?
  var proxies = ProxyRules()
  var connections = ConnectionOptions()
  /// The version of HTTP for requests that do not name one.
  var version: ProtocolVersion?
  var warnings: [ConfigurationIssue] = []
  var adapters: [any RequestAdapter] = []
  var retriers: [any Retrier] = []
  var interceptors: [any Interceptor] = []
  var monitors: [any EventMonitor] = []
  var contentCodings: ContentCodings = ContentCodings([])
  var schemes = AuthenticationSchemes([])
  var connectionCredential: ScopedConnectionCredential?
  var credentialProvider: CredentialProvider?
  var makeCookieStore: (@Sendable () -> any CookieStore)?
  var cookieStore: (any CookieStore)?
  var redirector = Redirector.follow
  /// The methods whose requests receive an `Idempotency-Key`.
  var keyedMethods: Set<HTTPRequest.Method> = []
  var clock: any Clock<Duration> = ContinuousClock()
  var now: @Sendable () -> Date = { Date() }
  var random: @Sendable () -> UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
  var executor: (any TaskExecutor)? = ExecutorPreference.current
  var startsImmediately = true

  init() {
    guard let environment = SessionEnvironment.current else { return }
    clock = environment.clock
    now = environment.now
    random = environment.random
  }

  /// Removes the scope of default fields that are not secret, so that they are sent to every origin.
  mutating func freePublicFields() {
    for index in defaultFields.indices where !secretFields.contains(defaultFields[index].field.name) {
      defaultFields[index].scope = nil
    }
  }
}

extension ExchangeSettings {
  convenience init(_ configuration: SessionConfiguration, clock: SessionClock) {
    self.init(
      clock: clock, now: configuration.now, timeouts: configuration.timeouts, limits: configuration.limits,
      connectionKey: configuration.connectionKey, resolver: configuration.resolver,
      connections: configuration.connections, executor: configuration.executor,
      secretFields: configuration.secretFields, contentCodings: configuration.contentCodings.codings)
  }
}

/// The builder's settings for the route to servers, not yet checked.
struct RouteDescription: Sendable {
  struct ProxyChoice: Sendable {
    let proxy: Result<Proxy, LupineError>
    let schemes: Set<HTTPURL.Scheme>
  }

  var proxies: [ProxyChoice] = []
  var exceptions: [String] = []
  var usesEnvironment = false
  var unixSocket: String?
  var localAddress: String?
  var overrides: [(host: String, addresses: [String])] = []
  var networkPolicy: NetworkPolicy?
}

/// A field that a session adds to a request that has no field of that name.
struct DefaultField: Sendable, HidesSecrets {
  var field: HTTPField
  /// The origins that a secret field may be sent to; `build()` sets it to `nil` for other fields.
  var scope: CredentialScope?

  var description: String { "DefaultField(\(field.name))" }
}
