import LupineCore
import LupineSupport

/// The loop of a monitor's thread: it processes commands and datagrams, and makes reports.
struct MonitorLoop {
  /// The resolution of a name on a separate thread; a name has at most one at a time.
  private struct Resolution {
    var isRunning = false
    var isStale = false
  }

  /// The maximum number of datagrams before a report, so that a burst of messages does not delay reports.
  private static let batch = 512

  private let monitor: KernelMonitor
  private var view: KernelView
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var watchers: [UInt64: KernelMonitor.Watcher] = [:]
  private var reported: [UInt64: NetworkPath] = [:]
  private var resolutions: [UInt64: Resolution] = [:]
  private var path: NetworkPath?

  init(monitor: KernelMonitor, port: UInt32) {
    self.monitor = monitor
    view = KernelView(port: port)
  }

  /// Runs until there is no watcher; returns the failure that ended it, if any.
  mutating func run(_ socket: borrowing NetlinkSocket) -> NetlinkFailure? {
    while let commands = monitor.removeCommands() {
      for command in commands { perform(command) }
      while case let outputs = view.settle(), !outputs.isEmpty {
        for output in outputs {
          if let failure = perform(output, socket) { return failure }
        }
      }
      if let failure = receive(socket) { return failure }
    }
    return nil
  }

  private mutating func receive(_ socket: borrowing NetlinkSocket) -> NetlinkFailure? {
    for number in 0..<Self.batch {
      switch socket.receive(into: &buffer, waits: number == 0 && !view.isUnanswered) {
      case .datagram(let length):
        buffer.withUnsafeBytes { view.receive(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
      case .overrun: view.overrun()
      case .none:
        view.drained()
        return nil
      case .failed(let failure): return failure
      }
    }
    return nil
  }

  private mutating func perform(_ output: KernelView.Output, _ socket: borrowing NetlinkSocket) -> NetlinkFailure? {
    switch output {
    case .send(let request, let sequence): return socket.send(request, sequence: sequence)
    case .failed(let failure): return failure
    case .hostPath(let id, let path): report(path, to: id)
    case .path(let path):
      self.path = path
      monitor.setPath(path)
      for (id, watcher) in watchers.sorted(by: { $0.key < $1.key }) {
        if watcher.host == nil { report(path, to: id) } else { resolve(id, watcher) }
      }
    }
    return nil
  }

  private mutating func perform(_ command: KernelMonitor.Command) {
    switch command {
    case .add(let id, let watcher):
      watchers[id] = watcher
      if watcher.host != nil { resolve(id, watcher) } else if let path { report(path, to: id) }
    case .remove(let id):
      watchers[id] = nil
      reported[id] = nil
      resolutions[id] = nil
      view.removeHost(id)
    case .resolved(let id, let answer): resolved(id, answer)
    }
  }

  /// Calls a watcher, unless it has received this path already.
  private mutating func report(_ path: NetworkPath, to id: UInt64) {
    guard let watcher = watchers[id], reported[id] != path else { return }
    reported[id] = path
    watcher.onChange(path)
  }
}

extension MonitorLoop {
  /// Resolves a host's name; if a resolution is running, repeats it afterwards.
  private mutating func resolve(_ id: UInt64, _ watcher: KernelMonitor.Watcher) {
    guard let host = watcher.host else { return }
    if let literal = IPAddress(host) {
      if resolutions.updateValue(Resolution(), forKey: id) == nil { view.setHost(id, [literal]) }
      return
    }
    guard resolutions[id]?.isRunning != true else {
      resolutions[id]?.isStale = true
      return
    }
    resolutions[id] = Resolution(isRunning: true)
    do throws(SystemThread.Failure) {
      let thread = try SystemThread("lupine-resolve") { [monitor] in
        do throws(NetlinkFailure) {
          try monitor.namespace?.enter()
          monitor.post(.resolved(id, watcher.resolve(host)))
        } catch {
          monitor.post(.resolved(id, .failure(error.message)))
        }
      }
      thread.detach()
    } catch {
      resolved(id, .failure(NetlinkFailure(error).message))
    }
  }

  private mutating func resolved(_ id: UInt64, _ answer: HostResolver.Answer) {
    guard let watcher = watchers[id], let resolution = resolutions[id] else { return }
    switch answer {
    case .addresses(let addresses): view.setHost(id, addresses)
    case .failure(let reason): view.failHost(id, reason)
    }
    resolutions[id] = Resolution()
    if resolution.isStale { resolve(id, watcher) }
  }
}
