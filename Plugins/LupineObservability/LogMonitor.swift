#if Observability
  public import Logging
  public import LupineCore

  /// Logs the events of a session, one line for each, with OpenTelemetry's attribute names in the metadata.
  ///
  /// The log contains no secrets: it omits the values of URL queries and of fields. A monitor serves one session.
  public struct LogMonitor: EventMonitor {
    /// The log levels of the events.
    public struct Levels: Sendable, Hashable {
      /// The level of a request that succeeded.
      ///
      /// Default: info.
      public var success = Logger.Level.info
      /// The level of a request that failed.
      ///
      /// Default: error.
      public var failure = Logger.Level.error
      /// The level of an attempt that failed and is repeated.
      ///
      /// Default: notice.
      public var retry = Logger.Level.notice
      /// The level of request starts, redirects, challenges, rejected responses, and decisions of policies such as a
      /// circuit breaker.
      ///
      /// Default: debug.
      public var decision = Logger.Level.debug
      /// The level of all other events, such as connections and response heads.
      ///
      /// Default: trace.
      public var step = Logger.Level.trace

      /// Creates the default levels.
      public init() {}
    }

    private let logger: Logger
    private let levels: Levels
    private let exchanges = ExchangeTable()

    /// Creates a monitor that writes to a logger.
    public init(_ logger: Logger, levels: Levels = Levels()) {
      self.logger = logger
      self.levels = levels
    }

    /// Writes one event.
    public func receive(_ event: SessionEvent) {
      let change = exchanges.apply(event)
      let level = level(of: event.kind)
      guard logger.logLevel <= level else { return }
      var metadata: Logger.Metadata = ["lupine.request.id": "\(event.request.rawValue)"]
      if event.attempt > 0 { metadata["lupine.attempt"] = "\(event.attempt)" }
      for (name, value) in (change.ended ?? change.current ?? ExchangeTelemetry(event))?.attributes ?? [] {
        metadata[name] = "\(value)"
      }
      logger.log(level: level, "\(event.kind)", metadata: metadata)
    }

    private func level(of kind: SessionEvent.Kind) -> Logger.Level {
      switch kind {
      case .finished(nil): levels.success
      case .finished, .serialized(_, _, .some): levels.failure
      case .warning: .warning
      case .retrying(.some, _): levels.retry
      case .started, .failed, .redirected, .challenged, .resending, .retrying, .validated(.some), .continued, .decided:
        levels.decision
      default: levels.step
      }
    }
  }

  extension EventMonitor where Self == LogMonitor {
    /// A monitor that logs the session's events; see `LogMonitor`.
    public static func log(_ logger: Logger, levels: LogMonitor.Levels = .init()) -> LogMonitor {
      LogMonitor(logger, levels: levels)
    }
  }
#endif
