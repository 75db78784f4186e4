import FoundationEssentials
import HTTPTypes
import LupineCoding
package import LupineCore

/// What a builder gathered, checked: the unchanging part of a session.
package struct SessionConfiguration: Sendable {
  var baseURL: HTTPURL?
  var defaultFields: [DefaultField] = []
  /// The default fields in one value that every request without fields of its own shares; `nil` where a secret is among
  /// them, which does not go everywhere.
  var sharedFields: SharedFields?
  package var secretFields = SecretFields.standard
  var timeouts = Timeouts()
  package var limits = Limits()
  var parameterEncoder: any ParameterEncoder = URLEncodedFormParameterEncoder()
  package var decodingDefaults = DecodingDefaults()
  var trustPolicy: TrustPolicy?
  var identity = ConnectionKey()
  var proxies = ProxyRules()
  var connections = ConnectionOptions()
  /// The version of HTTP where a request names none.
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
  /// The methods whose requests get an `Idempotency-Key`.
  var keyedMethods: Set<HTTPRequest.Method> = []
  var clock: any Clock<Duration> = ContinuousClock()
  var now: @Sendable () -> Date = { Date() }
  var random: @Sendable () -> UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
  package var executor: (any TaskExecutor)? = ExecutorPreference.current
  var startsImmediately = true

  init() {
    guard let environment = SessionEnvironment.current else { return }
    clock = environment.clock
    now = environment.now
    random = environment.random
  }

  /// A field that is not secret goes everywhere.
  mutating func freePublicFields() {
    for index in defaultFields.indices where !secretFields.contains(defaultFields[index].field.name) {
      defaultFields[index].scope = nil
    }
  }
}

extension ExchangeSettings {
  convenience init(_ configuration: SessionConfiguration) {
    self.init(
      clock: configuration.clock, now: configuration.now, connectTimeout: configuration.timeouts.connect,
      limits: configuration.limits,
      identity: configuration.identity, connections: configuration.connections, executor: configuration.executor,
      secretFields: configuration.secretFields)
  }
}

/// What a builder was told of the way to servers, unchecked.
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

/// A field that a session adds where a request has none of that name.
struct DefaultField: Sendable, HidesSecrets {
  var field: HTTPField
  /// Where the field may go if it is secret; `build()` takes it from one that is not.
  var scope: CredentialScope?

  var description: String { "DefaultField(\(field.name))" }
}
