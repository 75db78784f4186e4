#if Observability
  public import Logging
  public import LupineCore

  /// Writes what a session does to a log, one line for each event, with OpenTelemetry's names in the metadata.
  ///
  /// Nothing secret is written: URLs stand without the values of their queries, and the fields' values not at all. One
  /// monitor serves one session.
  public struct LogMonitor: EventMonitor {
    /// At which levels events are written.
    public struct Levels: Sendable, Hashable {
      /// Requests that ended well.
      ///
      /// Default: info.
      public var success = Logger.Level.info
      /// Requests that failed.
      ///
      /// Default: error.
      public var failure = Logger.Level.error
      /// Attempts that failed and are made again.
      ///
      /// Default: notice.
      public var retry = Logger.Level.notice
      /// Beginnings, redirects, challenges, refused responses, and what a policy such as a circuit breaker decided.
      ///
      /// Default: debug.
      public var decision = Logger.Level.debug
      /// Everything else, such as connections and heads.
      ///
      /// Default: trace.
      public var step = Logger.Level.trace

      /// The defaults.
      public init() {}
    }

    private let logger: Logger
    private let levels: Levels
    private let hops = HopTable()

    /// Writes to this logger.
    public init(_ logger: Logger, levels: Levels = Levels()) {
      self.logger = logger
      self.levels = levels
    }

    /// Writes one event.
    public func receive(_ event: SessionEvent) {
      let change = hops.take(event)
      let level = level(of: event.kind)
      guard logger.logLevel <= level else { return }
      var metadata: Logger.Metadata = ["lupine.request.id": "\(event.request.rawValue)"]
      if event.attempt > 0 { metadata["lupine.attempt"] = "\(event.attempt)" }
      for (name, value) in (change.closed ?? change.current ?? Hop(event))?.attributes ?? [] {
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
    /// Writes what the session does to a log; see `LogMonitor`.
    public static func log(_ logger: Logger, levels: LogMonitor.Levels = .init()) -> LogMonitor {
      LogMonitor(logger, levels: levels)
    }
  }
#endif
