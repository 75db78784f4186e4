import LupineCore
import LupineSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process of a hook: a program with its arguments, never a shell's line.
///
/// It is in a process group of its own. Its input is `/dev/null`, its output is the standard error of this process, and it
/// gets no other descriptor. Its environment has `LUPINE_GROUP`, `LUPINE_COMPLETION` and the variables of `kept` alone.
final class HookProcess: Sendable {
  /// The variables that a hook gets; `CREDENTIALS_DIRECTORY` is not among them.
  private static let kept = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
  ]

  /// How a process has ended.
  struct End: Sendable {
    /// The exit code, or 128 and the number of the signal that ended the process; `nil` if the system does not tell.
    let code: Int32?
    /// Whether it was asked to end before that.
    let wasAsked: Bool

    /// Whether the command is done: a process that was asked to end is done only if it says so with 0.
    var isDone: Bool { !wasAsked || code == 0 }
  }

  private struct State {
    /// Whether the system may have given the number to another process.
    var isReaped = false
    var wasAsked = false
  }

  private let process: pid_t
  private let state = Mutex(State())

  /// Starts the command; the group's name becomes its last argument.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the program cannot be started.
  init(_ hook: GroupHook) throws(LupineError) {
    let variables = Self.kept.compactMap { name in SystemEnvironment.variable(name).map { "\(name)=\($0)" } }
    let (process, code) = Self.spawn(
      hook.command + [hook.group],
      variables
        + ["LUPINE_GROUP=\(hook.group)", "LUPINE_COMPLETION=\(hook.completions)"])
    guard code == 0 else { throw LupineError.file("cannot be started", hook.command[0], code: code) }
    self.process = process
  }

  #if canImport(Glibc)
    private typealias CloseCall = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32

    /// `posix_spawn_file_actions_addclosefrom_np`, which Swift does not import.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np")
      .map { unsafeBitCast($0, to: CloseCall.self) }

    private static func spawn(_ arguments: [String], _ environment: [String]) -> (pid_t, Int32) {
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      posix_spawn_file_actions_init(&actions)
      posix_spawnattr_init(&attributes)
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, 2, 1)
      // Without it, the program would get descriptors that other code has opened without a flag.
      guard let closeFrom, closeFrom(&actions, 3) == 0 else { return (0, ENOSYS) }
      // The handlers and the mask of signals of this process are not those of a program that begins.
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      sigfillset(&signals)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
      var process: pid_t = 0
      let argumentList = arguments.map { strdup($0) } + [nil]
      let variableList = environment.map { strdup($0) } + [nil]
      defer { for text in argumentList + variableList { free(text) } }
      let code = posix_spawn(&process, arguments[0], &actions, &attributes, argumentList, variableList)
      return (process, code)
    }
  #else
    /// Other C libraries cannot close all descriptors of the new process.
    private static func spawn(_ arguments: [String], _ environment: [String]) -> (pid_t, Int32) { (0, ENOSYS) }
  #endif

  /// Waits for the end, on a thread of its own.
  func end() async -> End {
    let waiter = Waiter<End>()
    do throws(SystemThread.Failure) {
      try SystemThread("lupine-hook", stackSize: 256 << 10) { [self] in waiter.resume(returning: waitForEnd()) }
        .detach()
    } catch {
      return await BlockingWork.run { self.waitForEnd() }
    }
    return await waiter.value() ?? End(code: nil, wasAsked: true)
  }

  private func waitForEnd() -> End {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 {
      guard errno == EINTR else { return state.withLock { End(code: nil, wasAsked: $0.wasAsked) } }
    }
    return state.withLock { state in
      state.isReaped = true
      var status: Int32 = 0
      guard waitpid(process, &status, 0) == process else { return End(code: nil, wasAsked: state.wasAsked) }
      let signal = status & 0x7F
      return End(code: signal == 0 ? status >> 8 & 0xFF : 128 + signal, wasAsked: state.wasAsked)
    }
  }

  /// Sends a signal to the process and its children that are in its group.
  private func signal(_ number: Int32) {
    state.withLock { state in
      guard !state.isReaped else { return }
      if !hasEnded { state.wasAsked = true }
      _ = kill(-process, number)
    }
  }

  /// Whether the process has ended, and the system still has its exit code.
  private var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) == 0 && information.si_signo != 0
  }

  /// Asks the process to end.
  func terminate() { signal(SIGTERM) }

  /// Ends the process at once.
  func endNow() { signal(SIGKILL) }
}
