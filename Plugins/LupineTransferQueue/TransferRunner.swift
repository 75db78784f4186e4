public import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// Runs the transfers of a folder while the programs that have added them do not run.
///
/// ```swift
/// let runner = try TransferRunner(at: folder) { profile in
///   try Session.Builder(profile, transports: transports, defaultTransport: "native").install(CredentialFiles.standard)
///     .build()
/// }
/// ```
///
/// If a program runs the transfers of the folder, the runner waits and takes over when that program ends, however it ends;
/// nothing is polled. While the runner runs, a program that opens the folder adds, pauses and removes transfers and reads
/// their events and their progress, as a second process does.
///
/// When all transfers of a group have ended, it starts the command of `TransferQueue.setHook(_:forGroup:)` in a process
/// group of its own. The command gets the name of the group as its last argument and in `LUPINE_GROUP`, in
/// `LUPINE_COMPLETION` the number of times that the group has ended, an empty input, a
/// few variables of the environment without `CREDENTIALS_DIRECTORY`, and no descriptor of this process but standard error,
/// which takes its output. A command that hangs holds up no transfer; at most eight run at a time. When the runner ends, it
/// sends SIGTERM to the commands, and SIGKILL two seconds later. The exit code of a command that has ended before SIGTERM is
/// stored, and so is 0 after it; a command that ends otherwise then is started again by the next runner.
///
/// There is one runner on a folder. It listens at the socket `service` in the folder, for `status(at:)` and `stop(at:)`.
public final class TransferRunner: Sendable {
  /// A runner that was asked for its state.
  public struct Status: Sendable, Hashable {
    /// The number of its process.
    public let process: Int32
    /// Its state as text: it runs the transfers, or waits for a program that runs them.
    public let text: String
  }

  private static let serviceName = "service"
  /// The time that the transfers have to stop, less than the 5 seconds after which service managers kill.
  private static let patience = Duration.seconds(4)

  private let folder: String
  private let queue: TransferQueue
  private let log: @Sendable (String) -> Void
  private let state = Mutex("it begins")

  /// Makes a runner; nothing happens before `run()`.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder of the queue.
  ///   - configuration: the limits of the queue; `sessionForProfile` is replaced.
  ///   - clock: measures delays. Default: the clock of the system.
  ///   - log: takes lines about the runner, without secrets; called on any thread, and must not wait.
  ///   - session: makes the session of a profile, and that of a profile with the defaults for transfers without one; must
  ///     not wait.
  /// - Throws: `LupineError` of kind `invalidRequest` if a limit is less than 1, and the error of `session` for the profile
  ///   with the defaults.
  public init(
    at folder: String, configuration: TransferQueue.Configuration = TransferQueue.Configuration(),
    clock: (any Clock<Duration>)? = nil, log: @escaping @Sendable (String) -> Void = { _ in },
    session: @escaping @Sendable (TransferQueue.Profile) throws -> Session
  ) throws {
    var configuration = configuration
    configuration.sessionForProfile = session
    configuration.runsTransfers = true
    self.folder = folder
    self.log = log
    queue = try TransferQueue(
      at: folder, session: session(TransferQueue.Profile()), configuration: configuration, clock: clock, random: nil,
      patience: Self.patience, hooks: RunningHooks(log: log), beginsAtOnce: false)
  }

  /// Runs the transfers until `stop()`, or until the task is cancelled.
  ///
  /// - Parameter ready: called once, when the runner runs the transfers or waits for the program that does.
  /// - Throws: `LupineError` of kind `fileFailed` if the folder cannot be used, if another runner is there, or if the
  ///   process that runs the transfers is of another build.
  public func run(ready: @Sendable () -> Void = {}) async throws(LupineError) {
    let (lock, service) = try await BlockingWork.run { [folder] () throws(LupineError) in
      try Self.openService(folder)
    }
    defer {
      service.close()
      extendLifetime(lock)
    }
    try service.start(
      SocketServer.Handler { [self] in
        answer($0)
      } refuse: { [log] in
        log("refused \($0)")
      })
    let failure: LupineError? = await withTaskCancellationHandler {
      do throws(LupineError) {
        try await work(ready)
        return nil
      } catch {
        return error
      }
    } onCancel: {
      stop()
    }
    await queue.close()
    if let failure { throw failure }
  }

  /// Takes the lock that only one runner of a folder can have, and makes the socket for `status(at:)` and `stop(at:)`.
  private static func openService(_ folder: String) throws(LupineError) -> (RunnerLock, SocketServer) {
    let place = try QueueFolder(at: folder)
    let socket = UnixSocket(folder: place, name: serviceName)
    guard let lock = try place.takeLock("\(serviceName).lock") else {
      let other = (try? RunnerLink.open(socket, patience: patience)).map { "process \($0.process)" }
      throw LupineError(.fileFailed, "A runner is at \(place.path) already: \(other ?? "another process").")
    }
    return (lock, try SocketServer(socket))
  }

  /// Ends the runner: nothing new begins, and `run()` returns within 5 seconds.
  ///
  /// The transfers continue with the next process.
  public func stop() {
    state.withLock { $0 = "it ends" }
    Task { await queue.close() }
  }

  private func work(_ ready: @Sendable () -> Void) async throws(LupineError) {
    var isFirst = true
    while let owner = try await queue.engine.ownerAfterTakeOver() {
      let text =
        switch owner {
        case .thisProcess: "runs the transfers"
        case .process(let number): "waits for process \(number), which runs the transfers"
        }
      state.withLock { $0 = text }
      log("this process \(text) of \(folder)")
      if isFirst { ready() }
      isFirst = false
      await QueueReader(engine: queue.engine).waitForRunner()
    }
  }

  private func answer(_ request: RunnerLine.Request) -> RunnerLine? {
    switch request {
    case .notice, .watch: return nil
    case .status: return RunnerLine(process: UnixSocket.thisProcess, state: state.withLock { $0 })
    case .stop:
      log("was asked to stop")
      stop()
      return RunnerLine(process: UnixSocket.thisProcess, state: "it ends")
    }
  }
}

/// Talks with the runner of a folder.
extension TransferRunner {
  /// Asks the runner of a folder for its state; `nil` if there is none.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the runner is of another build or does not answer.
  public static func status(at folder: String) async throws(LupineError) -> Status? {
    try await BlockingWork.run { () throws(LupineError) in
      guard let link = try open(folder), link.send(RunnerLine(request: .status)) else { return nil }
      return try link.next().map { Status(process: $0.process ?? link.process, text: $0.state ?? $0.error ?? "") }
    }
  }

  /// Asks the runner of a folder to end, and waits for that for 5 seconds.
  ///
  /// - Returns: the process that has ended; `nil` if there was none.
  /// - Throws: `LupineError` of kind `fileFailed` if the runner has not ended after 5 seconds or is of another build.
  @discardableResult
  public static func stop(at folder: String) async throws(LupineError) -> Int32? {
    try await BlockingWork.run { () throws(LupineError) in
      guard let link = try open(folder), link.send(RunnerLine(request: .stop)) else { return nil }
      guard link.waitForEnd(.seconds(5)) else {
        throw LupineError(.fileFailed, "The runner, process \(link.process), has not ended after 5 seconds.")
      }
      return link.process
    }
  }

  private static func open(_ folder: String) throws(LupineError) -> RunnerLink? {
    let place = try QueueFolder(at: folder)
    return try RunnerLink.open(UnixSocket(folder: place, name: serviceName), patience: .seconds(5))
  }
}
