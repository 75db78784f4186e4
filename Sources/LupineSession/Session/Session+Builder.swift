public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore
import LupineSupport

extension Session {
  /// Assembles a session: a value whose every step returns a changed copy.
  ///
  /// Steps that add (`adapter`, `retrier`, `interceptor`, `monitor`, `contentCoding`, `authenticationScheme`,
  /// `secretField`, `install`) may be used any number of times and keep their order. `header`, `trust`, `proxy`,
  /// `requiring` and `resolve` add up as well; of one name, pattern, scheme or host the last one counts. Of all other steps the last one
  /// counts. `build()` checks that the parts fit each other.
  ///
  /// Its description names the transport alone, since much of the rest may be secret.
  public struct Builder: Sendable, HidesSecrets {
    var transport: (any Transport)?
    var requiredCapabilities: TransportCapabilities = []
    var baseURLText: String?
    var trustRules: [(pattern: String, evaluator: any TrustEvaluator)] = []
    var trustFallback: (any TrustEvaluator)?
    var schemes: [any AuthenticationScheme] = []
    var codings: [any ContentCoding] = []
    var issues: [ConfigurationIssue] = []
    var layers: [TransportLayer] = []
    var route = RouteDescription()
    /// What `timeouts` was told.
    var givenTimeouts: Timeouts?
    /// What plugins bound where `timeouts` does not.
    var pluginTimeouts = Timeouts(connect: nil, idle: nil)
    /// Where the date comes from, as `now` says.
    var givenDate: (@Sendable () -> Date)?
    /// Where it comes from otherwise: the clock, where that has one.
    var clockDate: (@Sendable () -> Date)?
    var configuration = SessionConfiguration()

    /// A builder with the defaults and no transport.
    public init() {}

    /// The type's name and the transport's.
    public var description: String { "Session.Builder(\(transport.map { "\(type(of: $0))" } ?? "no transport"))" }

    func changed(_ change: (inout Builder) -> Void) -> Builder {
      var copy = self
      change(&copy)
      return copy
    }
  }
}

extension Session.Builder {
  /// Sets what carries the exchanges, such as `.curl` or a mock.
  public func transport(_ transport: some Transport) -> Self { changed { $0.transport = transport } }

  /// Requires that the transport has these capabilities; `build()` throws if it lacks one of them.
  ///
  /// Use it for a guarantee that the program relies on, such as `.strictFraming` or `.streamEndChecks`. Capabilities that
  /// other steps need are required without it.
  ///
  /// Default: none. Calls add up.
  public func requiring(_ capabilities: TransportCapabilities) -> Self {
    changed { $0.requiredCapabilities.formUnion(capabilities) }
  }

  /// Sets the URL that relative references are appended to, as if it ended in `/`.
  public func baseURL(_ url: String) -> Self { changed { $0.baseURLText = url } }

  /// Sets how long the steps of a request may take; `nil` sets no bound.
  ///
  /// A session without this step has the same defaults, but no `idle` where its transport has no network and its clock is
  /// the system's: nothing is waited for there, and a busy machine is no fault.
  ///
  /// Where it names no `total` or no `attempt`, a plugin's holds, such as that of `.resilience()`, whichever comes first.
  public func timeouts(
    connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil, attempt: Duration? = nil
  ) -> Self {
    changed { $0.givenTimeouts = Timeouts(connect: connect, idle: idle, total: total, attempt: attempt) }
  }

  /// Sets the most that the session accepts.
  public func limits(_ limits: Limits) -> Self { changed { $0.configuration.limits = limits } }

  /// Sets the encoder of parameters where a request names none.
  ///
  /// Default: URL-encoded form.
  public func parameterEncoder(_ encoder: some ParameterEncoder) -> Self {
    changed { $0.configuration.parameterEncoder = encoder }
  }

  /// Sets the decoder of `Decodable` values where a request names none.
  ///
  /// Default: a `JSONDecoder`.
  public func decoder(_ decoder: some DataDecoder) -> Self {
    changed { $0.configuration.decodingDefaults.decoder = decoder }
  }

  /// Sets what the built-in serializers do with a body before they look at it; a serializer given to a request has its
  /// own.
  ///
  /// Default: they take it as it is, and 204, 205 and the answers to HEAD may be without one.
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

  /// Sets what happens at a redirect.
  ///
  /// Default: follow.
  public func redirector(_ redirector: Redirector) -> Self { changed { $0.configuration.redirector = redirector } }

  /// Sets the clock of timeouts and delays.
  ///
  /// A `DatedClock` sets the date, too, unless `now(_:)` says where that comes from, or the transport has a network: the
  /// certificates of real servers are judged by the system's date.
  ///
  /// Default: a `ContinuousClock`.
  public func clock(_ clock: some Clock<Duration>) -> Self {
    changed { builder in
      builder.configuration.clock = clock
      builder.clockDate = nil
      if let dated = clock as? any DatedClock { builder.clockDate = { dated.date } }
    }
  }

  /// Sets where the date comes from, for what the protocol dates and for the validity of certificates.
  ///
  /// Default: the clock that was given, where it is a `DatedClock` and the transport has no network; else the system's.
  public func now(_ now: @escaping @Sendable () -> Date) -> Self { changed { $0.givenDate = now } }

  /// Sets the source of randomness: 64 random bits at each call.
  ///
  /// Default: the system's.
  public func random(_ random: @escaping @Sendable () -> UInt64) -> Self {
    changed { $0.configuration.random = random }
  }

  /// Sets the executor that the session's tasks prefer: handlers run on it, and the timers.
  ///
  /// Adapters, retriers and interceptors begin where the request runs, and go on there once they have suspended.
  ///
  /// Default: the global one.
  public func executor(_ executor: some TaskExecutor) -> Self { changed { $0.configuration.executor = executor } }

  /// Sets whether a request starts at its first handler or await; off, it waits for `resume()`.
  ///
  /// Default: on.
  public func startsImmediately(_ startsImmediately: Bool) -> Self {
    changed { $0.configuration.startsImmediately = startsImmediately }
  }
}

extension Session.Builder {
  /// Adds what changes every request before it is sent; the session's adapters run before a request's own.
  public func adapter(_ adapter: some RequestAdapter) -> Self { changed { $0.configuration.adapters.append(adapter) } }

  /// Adds what decides whether a failed request is sent again.
  public func retrier(_ retrier: some Retrier) -> Self { changed { $0.configuration.retriers.append(retrier) } }

  /// Adds what stands around each attempt, its redirects and challenges included; the first one added is the outermost.
  public func interceptor(_ interceptor: some Interceptor) -> Self {
    changed { $0.configuration.interceptors.append(interceptor) }
  }

  /// Adds what hears of every event.
  public func monitor(_ monitor: some EventMonitor) -> Self { changed { $0.configuration.monitors.append(monitor) } }

  /// Adds a content coding that the session decodes and names in `Accept-Encoding`.
  ///
  /// A request with a `Range`, and a download, asks for content without a coding, unless it has an `Accept-Encoding` of its
  /// own; a part of coded content is not decoded. Of one name the last coding counts.
  public func contentCoding(_ coding: some ContentCoding) -> Self {
    changed { builder in
      if let place = builder.codings.firstIndex(where: { $0.name == coding.name }) {
        builder.codings[place] = coding
      } else {
        builder.codings.append(coding)
      }
    }
  }

  /// Adds a scheme that can answer challenges.
  public func authenticationScheme(_ scheme: some AuthenticationScheme) -> Self {
    changed { $0.schemes.append(scheme) }
  }

  /// Asks the closure for a credential when a server challenges a request that has none of its own.
  ///
  /// The closure decides by the challenged URL whose credential it gives; see `SessionRequest.onChallenge`.
  public func onChallenge(_ provide: @escaping CredentialProvider) -> Self {
    changed { $0.configuration.credentialProvider = provide }
  }

  /// Sets what keeps cookies and sends them back; without one, cookies are ignored.
  ///
  /// - Parameter make: makes the store of a session, once for each that is built; one that returns the same store every
  ///   time shares it.
  public func cookieStore(_ make: @escaping @Sendable () -> any CookieStore) -> Self {
    changed { $0.configuration.makeCookieStore = make }
  }

  /// Adds all that a plugin brings.
  public func install(_ plugin: some Plugin) -> Self { changed { plugin.install(in: &$0) } }
}

extension Session.Builder {
  /// Whether something was named that carries the exchanges.
  package var hasTransport: Bool { transport != nil }

  /// Adds the content codings and the schemes that a plugin brings, but for those of which the builder has one of the same
  /// name: what was named stays.
  package func installDefault(_ plugin: some Plugin) -> Self {
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
  /// Adds an `Idempotency-Key` to each request of these methods that has none, the same on every attempt, so that it may
  /// be retried.
  ///
  /// For servers that know the field: one that does not does the work of a repeated request twice.
  public func idempotencyKeys(for methods: Set<HTTPRequest.Method> = [.post, .patch]) -> Self {
    changed { $0.configuration.keyedMethods = methods }
  }
}
