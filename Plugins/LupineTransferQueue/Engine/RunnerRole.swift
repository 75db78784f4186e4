import LupineCore
import LupineSession
import Synchronization

/// The lock that makes this process the one that runs the transfers, and the socket for other processes.
final class RunnerRole: Sendable {
  private let lock: RunnerLock
  let server: SocketServer
  let notice = PendingNotice()

  init(_ lock: RunnerLock, _ server: SocketServer) {
    self.lock = lock
    self.server = server
  }

  /// Listens to other processes, and tells them of the progress of transfers.
  ///
  /// - Parameter noticed: called when another process has changed the database, and not again before `notice` is taken.
  func serve(_ progress: ProgressHub, noticed: @escaping @Sendable () -> Void) throws(LupineError) {
    try server.start(
      SocketServer.Handler { [notice] request in
        guard request == .notice else { return RunnerLine(error: "This socket does not answer this request.") }
        if notice.raise() { noticed() }
        return nil
      })
    progress.relay { [weak server] progress, id in
      server?.tell(
        RunnerLine.Progress(transfer: id.number, completed: progress.completed, total: progress.total))
    }
  }

  /// Removes the socket's name before the lock is released.
  deinit { server.close() }
}

/// Whether other processes have changed the database since the queue has read it; several notices count as one.
final class PendingNotice: Sendable {
  private let isPending = Atomic<Bool>(false)

  /// Records a notice; returns false if there is an earlier one, and the queue has not begun to read since.
  func raise() -> Bool { !isPending.exchange(true, ordering: .acquiringAndReleasing) }

  /// Forgets the notices.
  ///
  /// Call it before the queue reads: a later notice then makes the queue read again.
  func take() { _ = isPending.exchange(false, ordering: .acquiringAndReleasing) }
}
