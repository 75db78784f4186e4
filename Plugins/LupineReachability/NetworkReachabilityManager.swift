public import Dispatch
import LupineCore
import LupineSupport
import Synchronization

/// Tells whether the network or a host can be reached, and every change of that.
///
/// ```swift
/// for await status in NetworkReachabilityManager.default.statuses { print(status) }
/// ```
///
/// It watches only while somebody listens: a closure, or a loop over a sequence. It never decides whether to send: a
/// route may lead nowhere, and a network that sleeps may wake for a request. Send, and ask for the reason of a failure
/// here.
public final class NetworkReachabilityManager: Sendable {
  /// What is called at every change.
  public typealias Listener = @Sendable (ReachabilityStatus) -> Void

  /// One for the default route.
  public static let `default` = NetworkReachabilityManager()

  /// The host that is watched; `nil` for the default route.
  public let host: String?
  private let source: any NetworkPathSource
  private let statusFeed: ChangeFeed<ReachabilityStatus>
  private let pathFeed: ChangeFeed<NetworkPath>
  private let endOfListening = Mutex<(@Sendable () -> Void)?>(nil)

  /// Watches the default route, or the way to a host.
  ///
  /// - Parameters:
  ///   - host: a name or a literal address; an IPv6 address stands without brackets. Default: none, the default route.
  ///   - source: who tells. Default: the kernel.
  ///   - debounce: how long a change must hold before it is reported; one that is undone meanwhile never is, and the first
  ///     status is reported at once. Default: zero, every change.
  ///   - clock: what the debounce is measured on.
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
  }

  deinit { stopListening() }
}

extension NetworkReachabilityManager {
  /// The status now: the last that was reported while somebody listens, else the kernel is asked.
  ///
  /// For a host's name that nobody listens to it is `unknown`, because names are not resolved while the caller waits;
  /// `currentStatus()` does that.
  public var status: ReachabilityStatus { statusFeed.latest ?? path.status }

  /// The interfaces, addresses and routes behind the status, as they are now.
  public var path: NetworkPath { pathFeed.latest ?? source.currentPath(to: host) }

  /// The status now, once the host's name is resolved; `unknown` where the task is cancelled before.
  public func currentStatus() async -> ReachabilityStatus {
    for await status in statusFeed.stream() { return status }
    return .unknown(.notDetermined)
  }

  /// Whether the status is `reachable`.
  public var isReachable: Bool { status.isReachable }

  /// Whether the status is `reachable` over a cellular network.
  public var isReachableOnCellular: Bool { status == .reachable(.cellular) }

  /// Whether the status is `reachable` over anything else.
  public var isReachableOnEthernetOrWiFi: Bool { status == .reachable(.ethernetOrWiFi) }
}

extension NetworkReachabilityManager {
  /// The status as it is and then every change of it, once and in order; each loop over it listens by itself.
  ///
  /// The sequence ends only with the task that loops over it.
  public var statuses: AsyncStream<ReachabilityStatus> { statusFeed.stream() }

  /// The path as it is and then every change of it; it changes more often than the status.
  public var paths: AsyncStream<NetworkPath> { pathFeed.stream() }

  /// Calls the listener with the status as it is, and then at every change, once and in order, until `stopListening()`
  /// or until the manager is let go.
  ///
  /// A listener that was there before is replaced.
  ///
  /// - Parameter queue: where the listener is called; `nil` means off the caller's thread.
  public func startListening(onQueue queue: DispatchQueue? = nil, onUpdatePerforming listener: @escaping Listener) {
    let (stream, end) = statusFeed.open()
    let task = Task {
      for await status in stream {
        if Task.isCancelled { return }
        await Queueing.call(on: queue) { listener(status) }
      }
    }
    replaceListener {
      task.cancel()
      end()
    }
  }

  /// Ends what `startListening` began; sequences go on.
  public func stopListening() { replaceListener(nil) }

  private func replaceListener(_ end: (@Sendable () -> Void)?) {
    let old = endOfListening.withLock { current in
      defer { current = end }
      return current
    }
    old?()
  }
}
