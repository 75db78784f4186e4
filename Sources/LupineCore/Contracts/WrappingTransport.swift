public import LupineFoundation

/// A transport that changes, records or counts the exchanges of another one.
///
/// Every requirement of `Transport` is forwarded to `base`, so a wrapper implements only those that it changes, usually
/// `send(_:in:)`. A session over the wrapper has the capabilities of `base`: what `build()` accepts without the wrapper it
/// accepts with it.
///
/// ```swift
/// /// Calls a closure with the status of each response.
/// struct ObservedTransport: WrappingTransport {
///   let base: any Transport
///   let observe: @Sendable (Int) -> Void
///
///   func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
///     let response = try await base.send(request, in: context)
///     observe(response.head.status.code)
///     return response
///   }
/// }
/// ```
///
/// `TransferContext.observing(_:)` shows the wrapper the events of an exchange.
public protocol WrappingTransport: Transport {
  /// The transport that makes the exchanges.
  var base: any Transport { get }
}

extension WrappingTransport {
  /// The capabilities of `base`.
  public var capabilities: TransportCapabilities { base.capabilities }

  /// Whether `base` answers without another program.
  public var isVirtual: Bool { base.isVirtual }

  /// Makes the exchange over `base`.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try await base.send(request, in: context)
  }

  /// Shuts `base` down.
  public func shutdown() async { await base.shutdown() }

  /// Returns the date of `base`.
  public func date(on clock: any DatedClock) -> (@Sendable () -> Date)? { base.date(on: clock) }

  /// Returns the issues of `base`.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] { base.issues(with: key) }

  /// Returns the advice of `base`.
  public func remedy(for missing: TransportCapabilities) -> String? { base.remedy(for: missing) }

  /// Returns the monitor of `base`.
  public func makeMonitor() -> (any EventMonitor)? { base.makeMonitor() }

  /// Returns the connections of `base`.
  public func connectionPool() async -> ConnectionPoolSnapshot? { await base.connectionPool() }
}
