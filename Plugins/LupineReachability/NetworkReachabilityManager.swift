public import Dispatch
public import LupineCore
import LupineSupport
import Synchronization

/// Reports whether the network or a host is reachable, and every change of that.
///
/// ```swift
/// for await status in NetworkReachabilityManager.default.statuses { print(status) }
/// ```
///
/// The manager watches the network only while there is a listener or a loop over a sequence. Do not use the status to
/// decide whether to send: a route may lead nowhere, and a suspended network may resume for a request. Send the
/// request, and use the status to explain a failure.
public final class NetworkReachabilityManager: Sendable {
  /// A closure that receives every change of the status, one after another, on the queue or executor that
  /// `startListening(onQueue:onUpdatePerforming:)` names.
  public typealias Listener = @Sendable (ReachabilityStatus) -> Void

  /// The manager for the default route.
  public static let `default` = NetworkReachabilityManager()

  /// The watched host; `nil` for the default route.
  public let host: String?
  private let source: any NetworkPathSource
  private let statusFeed: ChangeFeed<ReachabilityStatus>
  private let pathFeed: ChangeFeed<NetworkPath>
  private let conditionFeed: ChangeFeed<NetworkConditions>
  private let endOfListening = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a manager for the default route or for the route to a host.
  ///
  /// - Parameters:
  ///   - host: a name or a literal address; an IPv6 address has no brackets. Default: `nil`, the default route.
  ///   - source: the source of the network's state. Default: the kernel.
  ///   - debounce: how long a change must last before it is reported. A change that is reverted within that time is not
  ///     reported. The first status is reported at once. Default: zero, which reports every change.
  ///   - clock: the clock that measures the debounce.
  public init(
    host: String? = nil, source: some NetworkPathSource = .kernel, debounce: Duration = .zero,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.host = host
    self.source = source
    statusFeed = ChangeFeed(debounce: debounce, clock: clock) { receive in
      source.watch(host) { receive($0.status) }
    }
    pathFeed = ChangeFeed(debounce: debounce, clock: clock) { receive in source.watch(host, onChange: receive) }
    conditionFeed = ChangeFeed(debounce: debounce, clock: clock) { receive in
      source.watch(host) { receive($0.conditions) }
    }
  }

  deinit { stopListening() }
}

extension NetworkReachabilityManager {
  /// The current status: the last reported one while there is a listener, otherwise the source's.
  ///
  /// For a host name without a listener it is `unknown`, because resolving a name would block. `currentStatus()`
  /// resolves the name.
  public var status: ReachabilityStatus { statusFeed.latest ?? path.status }

  /// The current interfaces, addresses and routes, which determine the status.
  public var path: NetworkPath { pathFeed.latest ?? source.currentPath(to: host) }

  /// Returns the current status after the host's name is resolved; `unknown` if the task is cancelled before.
  public func currentStatus() async -> ReachabilityStatus {
    for await status in statusFeed.stream() { return status }
    return .unknown(.notDetermined)
  }

  /// Whether the status is `reachable`.
  public var isReachable: Bool { status.isReachable }

  /// Whether the status is `reachable` over a cellular network.
  public var isReachableOnCellular: Bool { status == .reachable(.cellular) }

  /// Whether the status is `reachable` over another kind of network.
  public var isReachableOnEthernetOrWiFi: Bool { status == .reachable(.ethernetOrWiFi) }
}

extension NetworkReachabilityManager: NetworkConditionsSource {
  /// The current conditions: the last reported ones while there is a sequence of them, otherwise the source's.
  public var conditions: NetworkConditions { conditionFeed.latest ?? source.currentPath(to: host).conditions }

  /// The current conditions and then every change of them, once and in order.
  public func conditionUpdates() -> AsyncStream<NetworkConditions> { conditionFeed.stream() }
}

extension NetworkReachabilityManager {
  /// The current status and then every change of it, once and in order.
  ///
  /// Each loop has its own sequence. A sequence ends only with the task of its loop.
  public var statuses: AsyncStream<ReachabilityStatus> { statusFeed.stream() }

  /// The current path and then every change of it; it changes more often than the status.
  public var paths: AsyncStream<NetworkPath> { pathFeed.stream() }

  /// Calls the listener with the current status and then at every change, once and in order.
  ///
  /// The calls end with `stopListening()` or with the manager's release. A new listener replaces the previous one.
  ///
  /// - Parameter queue: the queue of the calls; `nil` means the global executor.
  public func startListening(onQueue queue: DispatchQueue? = nil, onUpdatePerforming listener: @escaping Listener) {
    let (stream, end) = statusFeed.open()
    let task = Task {
      for await status in stream {
        if Task.isCancelled { return }
        await Queueing.call(on: queue) { listener(status) }
      }
    }
    replaceListener {
      // First, so that the watch ends on this thread: a cancelled task ends the stream on its own.
      end()
      task.cancel()
    }
  }

  /// Ends the calls that `startListening` began; sequences continue.
  public func stopListening() { replaceListener(nil) }

  private func replaceListener(_ end: (@Sendable () -> Void)?) {
    let old = endOfListening.withLock { current in
      defer { current = end }
      return current
    }
    old?()
  }
}
