/// How long the steps of a request may take; `nil` sets no bound.
public struct Timeouts: Sendable, Hashable {
  /// Name lookup, connection and TLS handshake of one exchange, measured by the transport.
  ///
  /// Default: 30 seconds.
  public var connect: Duration?
  /// The time without progress of the request or the response, on the session's clock.
  ///
  /// Bytes of the bodies and complete heads are progress; frames of HTTP/2 without content, or parts of a head, are not.
  /// It rests while the request is suspended, and while a streamed body waits for its reader.
  ///
  /// Default: 60 seconds; none for a session without `Session.Builder.timeouts` whose transport has no network and whose
  /// clock is the system's.
  public var idle: Duration?
  /// The whole request, from its start to its last byte with every retry and redirect, on the session's clock.
  ///
  /// Default: none, for a large download may take an hour.
  public var total: Duration?
  /// One attempt, from its adapters to the last byte of its response, redirects and challenges included, on the session's
  /// clock; what comes after it may be another attempt.
  ///
  /// Default: none.
  public var attempt: Duration?

  /// Names the bounds, all four: what is left out is the default, not a session's bound.
  ///
  /// To change one bound of a request and keep the session's others, use `SessionRequest.timeouts(_:)`.
  public init(
    connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil, attempt: Duration? = nil
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
    self.attempt = attempt
  }

  /// What is wrong with each bound that is no longer than nothing.
  package var faults: [String] {
    [("connect", connect), ("idle", idle), ("total", total), ("attempt", attempt)].compactMap { name, bound in
      bound.flatMap { $0 <= .zero ? "\(name) is \($0); a timeout is longer than nothing" : nil }
    }
  }

  /// The first bound of a request as a whole that can be over.
  package var first: Duration? { idle.map { min($0, total ?? $0) } ?? total }
}
