import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// The commands of groups that a runner has started.
///
/// A command that hangs takes one of eight places, and holds up no transfer.
final class RunningHooks: Sendable {
  private struct State {
    var groups: Set<String> = []
    var processes: [String: HookProcess] = [:]
    /// The ends of commands that are not stored yet.
    var ends: [String: QueueMachine.Input] = [:]
    var isStopping = false
    var waiting = WaitingTasks()
  }

  private static let most = 8

  private let log: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(log: @escaping @Sendable (String) -> Void) { self.log = log }

  /// Takes a place for the command of a group; returns false if it runs, if there is no place, or during the end.
  func reserve(_ group: String) -> Bool {
    state.withLock { state in
      guard !state.isStopping, state.groups.count < Self.most else { return false }
      return state.groups.insert(group).inserted
    }
  }

  /// Makes room for another command, after the end of this one is stored.
  func release(_ group: String) {
    state.withLock { state in
      state.groups.remove(group)
      state.ends[group] = nil
    }
  }

  /// Starts the command if it is needed, and waits for its end.
  ///
  /// - Returns: what is to be stored; `nil` if the runner ended the command, so that it must be started again.
  func ending(of hook: GroupHook, isNeeded: Bool) async -> QueueMachine.Input? {
    isNeeded ? await run(hook) : .hookEnded(hook.group, completion: hook.completions, code: nil)
  }

  private func run(_ hook: GroupHook) async -> QueueMachine.Input? {
    let name = hook.group.debugDescription
    let process: HookProcess
    do throws(LupineError) { process = try HookProcess(hook) } catch {
      log("the hook of the group \(name) failed: \(error.message)")
      return ended(hook, 127)
    }
    log("the hook of the group \(name) has started: \(hook.command[0])")
    let mustEnd = state.withLock { state in
      state.processes[hook.group] = process
      return state.isStopping
    }
    if mustEnd { process.terminate() }
    let end = await process.end()
    log("the hook of the group \(name) has ended with \(end.code.map { "\($0)" } ?? "an unknown code")")
    return ended(hook, end.isDone ? end.code ?? -1 : nil)
  }

  /// Keeps the end of a command until it is stored.
  ///
  /// - Parameter code: `nil` if the command must be started again.
  private func ended(_ hook: GroupHook, _ code: Int32?) -> QueueMachine.Input? {
    let input = code.map { QueueMachine.Input.hookEnded(hook.group, completion: hook.completions, code: $0) }
    state.withLock { state in
      state.processes[hook.group] = nil
      state.ends[hook.group] = input
      if state.processes.isEmpty { state.waiting.resumeAll() }
    }
    return input
  }

  /// Asks the commands to end, ends them after two seconds, and waits for that.
  ///
  /// - Returns: the ends of commands that are not stored yet.
  func stop(on clock: SessionClock) async -> [QueueMachine.Input] {
    let (processes, waiter) = state.withLock { state in
      state.isStopping = true
      return (Array(state.processes.values), state.processes.isEmpty ? nil : state.waiting.add())
    }
    guard let waiter else { return unstored }
    for process in processes { process.terminate() }
    let timer = clock.schedule(.seconds(2)) { for process in processes { process.endNow() } }
    let limit = clock.schedule(.seconds(3)) { waiter.resume(returning: ()) }
    _ = await waiter.value()
    timer.cancel()
    limit.cancel()
    return unstored
  }

  private var unstored: [QueueMachine.Input] { state.withLock { Array($0.ends.values) } }
}
