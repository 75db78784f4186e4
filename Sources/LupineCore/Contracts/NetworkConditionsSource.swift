/// Supplies the conditions of the network to policies, such as a retrier that waits for a network or a queue of
/// uploads.
///
/// A plugin takes `some NetworkConditionsSource` and does not depend on the plugin that reads the network's state.
/// `NetworkReachabilityManager` of `LupineReachability` is the standard source; a program can supply its own, for
/// example from NetworkManager or from a container's control plane.
///
/// The conditions explain a failure and end a wait. They do not decide whether to send: a route may lead nowhere, and
/// a suspended network may resume for a request.
///
/// The requirements are called concurrently, from any thread, and do not block. This adapter holds uploads back while
/// the network is expensive:
///
/// ```swift
/// struct PatientUploads: RequestAdapter {
///   let network: any NetworkConditionsSource
///
///   func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
///     guard request.method == .put else { return request }
///     for await conditions in network.conditionUpdates() where !conditions.isExpensive { break }
///     return request
///   }
/// }
/// ```
public protocol NetworkConditionsSource: Sendable {
  /// The current conditions; `unknown` if they cannot be determined without waiting.
  var conditions: NetworkConditions { get }

  /// Returns the current conditions as soon as they are known, and then every change, in order.
  ///
  /// Each call returns a sequence of its own. A sequence ends with the task of its loop, or when the source can report
  /// no further change. The source watches the network at least as long as there is a sequence.
  func conditionUpdates() -> AsyncStream<NetworkConditions>
}

extension NetworkConditionsSource {
  /// Waits until the network is available; returns `false` if the limit passes first, if the source reports no further
  /// change, or if the task is cancelled.
  ///
  /// - Parameters:
  ///   - limit: the maximum duration of the wait.
  ///   - clock: the clock that measures it, usually the session's (`AttemptOutcome.clock`, `TransferContext.clock`).
  public func waitUntilAvailable(within limit: Duration, on clock: any Clock<Duration>) async -> Bool {
    let updates = conditionUpdates()
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await conditions in updates where conditions.availability == .available { return true }
        return false
      }
      group.addTask {
        try? await SessionClock(clock).sleep(limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}

/// The conditions of the network at one moment, as far as policies need them.
public struct NetworkConditions: Sendable, Hashable {
  /// Whether there is a way to send packets.
  public enum Availability: Sendable, Hashable {
    /// There is a route.
    case available
    /// There is no route.
    case unavailable
    /// The source cannot tell; a policy acts as if it had no source.
    case unknown
  }

  /// Whether there is a way to send packets.
  public var availability: Availability
  /// Whether traffic may cost money, as over a cellular modem.
  public var isExpensive: Bool

  /// Creates conditions; not expensive by default.
  public init(_ availability: Availability, isExpensive: Bool = false) {
    self.availability = availability
    self.isExpensive = isExpensive
  }
}
