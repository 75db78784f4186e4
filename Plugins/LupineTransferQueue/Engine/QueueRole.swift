import LupineCore

/// The part of a process in the queue of a folder.
enum QueueRole {
  /// It runs the transfers.
  case runner(RunnerRole)
  /// Another process runs them, or none if there is no connection.
  case client(ClientRole?)

  /// The lock and the socket of the runner; `nil` if this process is not the runner.
  var runner: RunnerRole? { if case .runner(let role) = self { role } else { nil } }

  /// The name of the socket of the process that runs the transfers.
  static let socketName = "socket"

  /// Takes the lock of the runner, or connects to the process that has it.
  ///
  /// A process that has just taken the lock does not listen yet, so that this tries again for a bounded time.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`, also if the runner is of another build or does not answer.
  /// - Parameters:
  ///   - mayRun: whether this process may take the lock. If it may not, no process need run the transfers.
  ///   - patience: the time for which it tries, and for which the runner may take to answer.
  static func take(in folder: QueueFolder, mayRun: Bool, patience: Duration) throws(LupineError) -> QueueRole {
    let socket = UnixSocket(folder: folder, name: socketName)
    guard mayRun else { return .client(try RunnerLink.open(socket, patience: patience).map { ClientRole($0) }) }
    for _ in 0..<max(1, Int(patience / .milliseconds(10))) {
      if let lock = try folder.takeRunnerLock() {
        return .runner(RunnerRole(lock, try SocketServer(socket)))
      }
      if let link = try RunnerLink.open(socket, patience: patience) { return .client(ClientRole(link)) }
      UnixSocket.waitForOwner()
    }
    throw LupineError(
      .fileFailed,
      "Another process runs the transfers of \(folder.path), but does not listen at \(socket.path). It may be of an older "
        + "build of this library, or at its end; end it, and try again.")
  }
}

/// The process that runs the transfers of a folder.
enum TransferOwner: Sendable {
  case thisProcess
  /// Another process with this number; 0 if the number is not known.
  case process(Int32)
}

/// The connection of this process to the one that runs the transfers.
final class ClientRole: Sendable {
  let link: RunnerLink

  init(_ link: RunnerLink) { self.link = link }

  deinit { link.close() }
}
