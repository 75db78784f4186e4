import LupineCore
import LupineSupport
import Synchronization

/// One thread that reads one netlink socket, for everybody who watches the same network.
final class KernelMonitor: Sendable {
  struct Watcher: Sendable {
    let host: String?
    let resolver: HostResolver
    let onChange: @Sendable (NetworkPath) -> Void
  }

  enum Command: Sendable {
    case greet(UInt64, Watcher)
    case forget(UInt64)
    case resolved(UInt64, HostResolver.Answer)
  }

  private struct State {
    var watchers: [UInt64: Watcher] = [:]
    var commands: [Command] = []
    var descriptor: Int32?
    var isEnding = false
    var isDead = false
    var path: NetworkPath?
  }

  let namespace: NetworkNamespace?
  private let state = Mutex(State())

  init(namespace: NetworkNamespace?) { self.namespace = namespace }

  /// The network as it was last reported, where it has been.
  var path: NetworkPath? { state.withLock { $0.path } }

  /// Starts the thread; `onEnd` is called on it when the socket is closed.
  func start(onEnd: @escaping @Sendable () -> Void) {
    do throws(SystemThread.Failure) {
      let thread = try SystemThread("lupine-netlink") {
        self.run()
        onEnd()
      }
      thread.detach()
    } catch {
      die(NetlinkFailure(error).message)
      onEnd()
    }
  }

  /// Takes in a watcher; not where the monitor has failed or is about to end.
  func add(_ id: UInt64, _ watcher: Watcher) -> Bool {
    state.withLock { state in
      guard !state.isDead, !state.isEnding else { return false }
      state.watchers[id] = watcher
      Self.post(.greet(id, watcher), &state)
      return true
    }
  }

  /// Lets go of a watcher and says whether it was the last, which ends the thread.
  func remove(_ id: UInt64) -> Bool {
    state.withLock { state in
      guard state.watchers.removeValue(forKey: id) != nil else { return false }
      state.isEnding = state.watchers.isEmpty
      Self.post(.forget(id), &state)
      return state.isEnding
    }
  }

  /// Has the thread do something.
  func post(_ command: Command) { state.withLock { Self.post(command, &$0) } }

  private static func post(_ command: Command, _ state: inout State) {
    guard !state.isDead else { return }
    state.commands.append(command)
    if let descriptor = state.descriptor { NetlinkSocket.wake(descriptor) }
  }

  private func run() {
    do throws(NetlinkFailure) {
      try namespace?.enter()
      let socket = try NetlinkSocket(isSubscribed: true)
      state.withLock { $0.descriptor = socket.descriptor }
      var loop = MonitorLoop(monitor: self, port: socket.port)
      let failure = loop.run(socket)
      state.withLock { $0.descriptor = nil }
      if let failure { throw failure }
      state.withLock { $0.isDead = true }
    } catch {
      die(error.message)
    }
  }

  private func die(_ reason: String) {
    let watchers = state.withLock { state in
      state.isDead = true
      state.path = nil
      defer { state.watchers = [:] }
      return state.watchers
    }
    for watcher in watchers.values { watcher.onChange(.unknown(.netlinkUnavailable(reason))) }
  }
}

extension KernelMonitor {
  /// What the thread is to do; `nil` where it is to end.
  func takeCommands() -> [Command]? {
    state.withLock { state in
      defer { state.commands = [] }
      return state.isEnding ? nil : state.commands
    }
  }

  /// Keeps the network for those who ask without watching.
  func show(_ path: NetworkPath) { state.withLock { $0.path = path } }
}
