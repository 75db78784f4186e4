public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
import LupineSupport

extension Session {
  /// Configures a session; each method returns a changed copy.
  ///
  /// The methods that add a part (`adapter`, `retrier`, `interceptor`, `monitor`, `contentCoding`,
  /// `authenticationScheme`, `secretField`, `install`, `issue`) keep the parts in the order of the calls. The calls of
  /// `header`, `transport(_:for:)`, `trust`, `tolerating`, `proxy`, `requiring` and `resolve` also add up; for the same
  /// name, pattern, scheme or host, the last call applies. For all other methods, the last call applies. `build()` checks
  /// that the parts are compatible.
  ///
  /// The description contains only the type of the transport, because other parts may be secret.
  public struct Builder: Sendable, HidesSecrets {
    var transport: (any Transport)?
    /// The transports for some hosts or a scheme.
    var transportRoutes: [TransportRoute] = []
    var requiredCapabilities: TransportCapabilities = []
    var baseURLText: String?
    var trustRules: [(pattern: String, evaluator: any TrustEvaluator)] = []
    var trustFallback: (any TrustEvaluator)?
    var toleranceRules: [(pattern: String, tolerances: ResponseTolerances)] = []
    var schemes: [any AuthenticationScheme] = []
    var codings: [any ContentCoding] = []
    var issues: [ConfigurationIssue] = []
    var layers: [PlacedLayer] = []
    var route = RouteDescription()
    /// The timeouts that `timeouts` sets.
    var givenTimeouts: Timeouts?
    /// The bounds that plugins set; each applies if `timeouts` does not set that bound.
    var pluginTimeouts = Timeouts(connect: nil, idle: nil)
    /// The source of the date that `now` sets.
    var givenDate: (@Sendable () -> Date)?
    /// The clock's date, if the clock is a `DatedClock`; used if `givenDate` is `nil`.
    var clockDate: (@Sendable () -> Date)?
    var configuration = SessionConfiguration()

    /// A builder with the defaults and no transport.
    public init() {}

    /// The name of the type and the type of the transport.
    public var description: String { "Session.Builder(\(transport.map { "\(type(of: $0))" } ?? "no transport"))" }

    func changed(_ change: (inout Builder) -> Void) -> Builder {
      var copy = self
      change(&copy)
      return copy
    }
  }
}

extension Session.Builder {
  /// Sets the transport that carries the exchanges, such as `.native` or a mock.
  public func transport(_ transport: some Transport) -> Self { changed { $0.transport = transport } }

  /// Sets the transport for the hosts that a pattern matches, beside the one of `transport(_:)` for all others.
  ///
  /// A pattern is a host name, an address, or `*.` and a domain, which matches names one label below the domain; each may
  /// end in a colon and a port. Exact names come before wildcards, and wildcards before schemes. Among exact names, and
  /// among wildcards, one with a port comes first. For the same pattern, the last call applies. The transport is chosen
  /// for each exchange, so a redirect to another host may use another one. The layers of the session are around all of
  /// its transports.
  ///
  /// `build()` checks each transport, and throws an error of kind `configuration` if one of them lacks a capability that
  /// the session needs, if a text is not a pattern, or if there is no transport for other hosts. Two needs concern the
  /// transports of their URLs alone: the base URL's TLS, and the connection credential, which only the transports of
  /// its scope must support.
  ///
  /// ```swift
  /// .transport(.native)
  /// .transport(.curl, for: "*.corp.example")
  /// ```
  public func transport(_ transport: some Transport, for hosts: String) -> Self {
    routing(TransportRoute(transport, for: .host(hosts)))
  }

  /// Sets the transport for the URLs of a scheme, beside the one of `transport(_:)`; see `transport(_:for:)` with a
  /// pattern of hosts, which has precedence.
  ///
  /// A transport for `.http` needs no capability of TLS.
  public func transport(_ transport: some Transport, for scheme: HTTPURL.Scheme) -> Self {
    routing(TransportRoute(transport, for: .scheme(scheme)))
  }

  private func routing(_ routed: TransportRoute) -> Self {
    changed { builder in
      builder.transportRoutes.removeAll { $0.hasSameTarget(as: routed) }
      builder.transportRoutes.append(routed)
    }
  }

  /// Requires that the transport has these capabilities; `build()` throws if it lacks one of them.
  ///
  /// Use it for a guarantee that the program relies on, such as `.strictFraming` or `.streamEndChecks`. The builder
  /// adds the capabilities that its other parts need. A transport without `networking`, such as a mock, needs neither
  /// `.tls` nor `.connectionReuse`.
  ///
  /// Default: none. Calls add up.
  public func requiring(_ capabilities: TransportCapabilities) -> Self {
    changed { $0.requiredCapabilities.formUnion(capabilities) }
  }

  /// Sets the URL that relative references are appended to, as if it ended in `/`.
  public func baseURL(_ url: String) -> Self { changed { $0.baseURLText = url } }

  /// Sets the time limits of a request; `nil` sets no limit.
  ///
  /// A session without this call has the same defaults, with one exception: `idle` is `nil` if the transport has no
  /// network and the clock is the system's.
  ///
  /// If `total` or `attempt` is `nil`, the limit of a plugin applies, such as that of `.resilience()`; the shortest
  /// limit applies.
  public func timeouts(
    connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil, attempt: Duration? = nil
  ) -> Self {
    changed { $0.givenTimeouts = Timeouts(connect: connect, idle: idle, total: total, attempt: attempt) }
  }

  /// Sets the size and count limits of the session.
  public func limits(_ limits: Limits) -> Self { changed { $0.configuration.limits = limits } }

  /// Sets the encoder of parameters for requests that do not name one.
  ///
  /// Default: URL-encoded form.
  public func parameterEncoder(_ encoder: any ParameterEncoder) -> Self {
    changed { $0.configuration.parameterEncoder = encoder }
  }

  /// Sets the decoder of `Decodable` values for requests that do not name one.
  ///
  /// Default: a `JSONDecoder`.
  public func decoder(_ decoder: some DataDecoder) -> Self {
    changed { $0.configuration.decodingDefaults.decoder = decoder }
  }

  /// Sets the preprocessor and the empty-response rules of the built-in serializers.
  ///
  /// A serializer that is given to a request uses its own.
  ///
  /// Default: no preprocessing; responses with status 204 or 205 and responses to HEAD may have no body.
  public func serializers(
    preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) -> Self {
    changed {
      $0.configuration.decodingDefaults.preprocessor = preprocessor
      $0.configuration.decodingDefaults.emptyResponseRules = EmptyResponseRules(
        codes: emptyResponseCodes, methods: emptyRequestMethods)
    }
  }

  /// Sets how redirects are handled.
  ///
  /// Default: follow.
  public func redirector(_ redirector: Redirector) -> Self { changed { $0.configuration.redirector = redirector } }

  /// Sets the clock of timeouts and delays.
  ///
  /// A `DatedClock` also sets the date, unless `now(_:)` sets it, the transport has a date of its own
  /// (`Transport.date(on:)`), or the transport has a network. With a network, the
  /// system's date applies, because the certificates of real servers are checked against it.
  ///
  /// Default: a `ContinuousClock`.
  public func clock(_ clock: some Clock<Duration>) -> Self {
    changed { builder in
      builder.configuration.clock = clock
      builder.clockDate = nil
      if let dated = clock as? any DatedClock { builder.clockDate = { dated.date } }
    }
  }

  /// Sets the source of the date, for protocol dates and for the validity of certificates.
  ///
  /// The session calls the closure from any thread, concurrently. Default: the clock, if it is a `DatedClock` and the
  /// transport has no network; otherwise the system's date.
  public func now(_ now: @escaping @Sendable () -> Date) -> Self { changed { $0.givenDate = now } }

  /// Sets the source of randomness; each call returns 64 random bits.
  ///
  /// The session calls the closure from any thread, concurrently. Default: the system's generator.
  public func random(_ random: @escaping @Sendable () -> UInt64) -> Self {
    changed { $0.configuration.random = random }
  }

  /// Sets the preferred executor of the session's tasks; handlers run on it.
  ///
  /// Adapters, retriers and interceptors start on the executor of the request's task, and continue there after a
  /// suspension.
  ///
  /// Default: the global executor.
  public func executor(_ executor: some TaskExecutor) -> Self { changed { $0.configuration.executor = executor } }

  /// Sets whether a request starts at its first handler or `await`; if `false`, it starts at `resume()`.
  ///
  /// Default: `true`.
  public func startsImmediately(_ startsImmediately: Bool) -> Self {
    changed { $0.configuration.startsImmediately = startsImmediately }
  }
}

// The policies are `any`: Swift 6.3 accepts no closure in `.custom { … }` if the parameter is `some EventMonitor`.
extension Session.Builder {
  /// Adds an adapter, which changes every request before it is sent; session adapters run before request adapters.
  public func adapter(_ adapter: any RequestAdapter) -> Self { changed { $0.configuration.adapters.append(adapter) } }

  /// Adds a retrier, which decides whether a failed request is retried.
  public func retrier(_ retrier: any Retrier) -> Self { changed { $0.configuration.retriers.append(retrier) } }

  /// Adds an interceptor around each attempt, redirects and challenges included; the first one added is the outermost.
  public func interceptor(_ interceptor: any Interceptor) -> Self {
    changed { $0.configuration.interceptors.append(interceptor) }
  }

  /// Adds a monitor, which receives every event.
  public func monitor(_ monitor: any EventMonitor) -> Self { changed { $0.configuration.monitors.append(monitor) } }

  /// Adds a content coding that the session decodes and names in `Accept-Encoding`.
  ///
  /// A download, and a request with a `Range`, asks for content without a coding, unless it has its own
  /// `Accept-Encoding`. A part of coded content is not decoded. For codings of the same name, the last one applies.
  public func contentCoding(_ coding: some ContentCoding) -> Self {
    changed { builder in
      if let place = builder.codings.firstIndex(where: { $0.name == coding.name }) {
        builder.codings[place] = coding
      } else {
        builder.codings.append(coding)
      }
    }
  }

  /// Adds an authentication scheme, which answers challenges.
  public func authenticationScheme(_ scheme: some AuthenticationScheme) -> Self {
    changed { $0.schemes.append(scheme) }
  }

  /// Sets the closure that returns a credential when a server challenges a request without a credential of its own.
  ///
  /// The closure chooses the credential by the challenged URL; see `SessionRequest.onChallenge`. `CredentialProvider`
  /// says where it is called.
  public func onChallenge(_ provide: @escaping CredentialProvider) -> Self {
    changed { $0.configuration.credentialProvider = provide }
  }

  /// Sets the store that keeps cookies and adds them to requests; without a store, cookies are ignored.
  ///
  /// - Parameter make: makes the store of a session; called by `build()`, on its caller's thread, once for each
  ///   session. A closure that returns the same store every time shares it between sessions.
  public func cookieStore(_ make: @escaping @Sendable () -> any CookieStore) -> Self {
    changed { $0.configuration.makeCookieStore = make }
  }

  /// Installs a plugin, which adds its parts.
  public func install(_ plugin: any Plugin) -> Self { changed { plugin.install(in: &$0) } }
}

extension Session.Builder {
  /// Adds an issue, which `build()` reports with all others.
  ///
  /// For plugins that find settings which they cannot use.
  public func issue(_ issue: ConfigurationIssue) -> Self { changed { $0.issues.append(issue) } }

  /// Whether the builder has a transport.
  ///
  /// A library with its own defaults, such as `standardDefaults()`, reads it.
  public var hasTransport: Bool { transport != nil }

  /// Adds the content codings and authentication schemes of a plugin that the builder does not already have by name.
  ///
  /// Use it in a library with its own defaults: the parts that a program has installed before stay.
  public func installDefault(_ plugin: any Plugin) -> Self {
    let defaults = Session.Builder().install(plugin)
    return changed { builder in
      builder.codings += defaults.codings.filter { coding in !codings.contains { $0.name == coding.name } }
      builder.schemes += defaults.schemes.filter { scheme in
        !schemes.contains { $0.name.lowercased() == scheme.name.lowercased() }
      }
    }
  }
}

extension Session.Builder {
  /// Adds an `Idempotency-Key` to each request with one of these methods that has none.
  ///
  /// The key is the same on every attempt, so that the request can be retried. Use it only for servers that support the
  /// field: another server may perform a retried request twice.
  public func idempotencyKeys(for methods: Set<HTTPRequest.Method> = [.post, .patch]) -> Self {
    changed { $0.configuration.keyedMethods = methods }
  }
}

extension Session.Builder {
  /// Adds a layer between the session and its transport.
  ///
  /// A session may have any number of layers. A layer states its position relative to other layers by their names; a
  /// name that is not present has no effect. Layers without stated positions keep the order in which they are added,
  /// the first one outermost. `build()` throws if the positions contradict each other.
  ///
  ///     builder.exchangeLayer("recording", inside: [.cache], outside: [.circuitBreaker]) { RecordingLayer() }
  ///
  /// - Parameters:
  ///   - name: the name by which other layers refer to this one.
  ///   - inside: the layers that receive an exchange before this one. Default: none.
  ///   - outside: the layers that receive an exchange after this one. Default: none.
  ///   - make: makes the layer. `build()` calls it once for each session, before it returns; two sessions may be built
  ///     at the same time.
  public func exchangeLayer(
    _ name: LayerName, inside: Set<LayerName> = [], outside: Set<LayerName> = [],
    _ make: @escaping @Sendable () -> any ExchangeLayer
  ) -> Self {
    changed { $0.layers.append(PlacedLayer(name: name, inside: inside, outside: outside, make: make)) }
  }

  /// Sets the total and attempt limits that apply where `timeouts` sets none; plugins use it for defaults.
  ///
  /// - Parameters:
  ///   - total: the time limit of a request. Default: `nil`, which changes nothing.
  ///   - attempt: the time limit of an attempt. Default: `nil`, which changes nothing.
  public func boundingTimes(total: Duration? = nil, attempt: Duration? = nil) -> Self {
    changed {
      $0.pluginTimeouts.total = total ?? $0.pluginTimeouts.total
      $0.pluginTimeouts.attempt = attempt ?? $0.pluginTimeouts.attempt
    }
  }
}

/// Adds several parts to a session at once.
public protocol Plugin: Sendable {
  /// Adds the parts of the plugin to the builder.
  func install(in builder: inout Session.Builder)
}
