import LupineSupport

/// The timeouts for the steps of a request; `nil` means no timeout.
///
/// A timeout of more than 292 years counts as 292 years.
public struct Timeouts: Sendable, Hashable {
  /// The timeout for name lookup, connection and TLS handshake of one exchange.
  ///
  /// The transport measures it.
  ///
  /// Default: 30 seconds.
  public var connect: Duration? { didSet { connect = connect?.bounded } }
  /// The maximum time without progress of the request or the response, on the session's clock.
  ///
  /// Bytes of the bodies and complete heads are progress. HTTP/2 frames without content and parts of a head are not.
  /// The timeout does not run while the request is suspended, or while a streamed body waits for its reader.
  ///
  /// Default: 60 seconds. A session without `Session.Builder.timeouts` whose transport has no network and whose clock
  /// is the system's has no idle timeout.
  public var idle: Duration? { didSet { idle = idle?.bounded } }
  /// The timeout for the whole request, from its start to its last byte with every retry and redirect, on the session's
  /// clock.
  ///
  /// Default: none, because a large download may take an hour.
  public var total: Duration? { didSet { total = total?.bounded } }
  /// The timeout for one attempt, on the session's clock.
  ///
  /// It runs from the attempt's adapters to the last byte of its response, and includes redirects and challenges. A
  /// retry may follow it.
  ///
  /// Default: none.
  public var attempt: Duration? { didSet { attempt = attempt?.bounded } }

  /// Sets all four timeouts.
  ///
  /// An omitted one gets its default, not the session's value.
  ///
  /// To change one timeout of a request and keep the session's others, use `SessionRequest.timeouts(_:)`.
  public init(
    connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil, attempt: Duration? = nil
  ) {
    self.connect = connect?.bounded
    self.idle = idle?.bounded
    self.total = total?.bounded
    self.attempt = attempt?.bounded
  }

  /// The reasons why the timeouts cannot be used: those that are not positive.
  ///
  /// `Session.Builder.build()` throws an error with them.
  public var issues: [String] {
    [("connect", connect), ("idle", idle), ("total", total), ("attempt", attempt)].compactMap { name, bound in
      bound.flatMap { $0 <= .zero ? "\(name) is \($0); a timeout must be longer than zero" : nil }
    }
  }
}
