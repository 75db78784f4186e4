import LupineCore
import LupineSession
import Synchronization

/// The progress of the transfers that run in this process.
///
/// It is not stored: after a restart, the checkpoints know where a transfer continues.
final class ProgressHub: Sendable {
  private struct State {
    var latest: [TransferID: TransferProgress] = [:]
    var streams: [TransferID: [Int: AsyncStream<TransferProgress>.Continuation]] = [:]
    var lastStream = 0
    var relays: [@Sendable (TransferProgress, TransferID) -> Void] = []
  }

  private let state = Mutex(State())

  func latest(of id: TransferID) -> TransferProgress? { state.withLock { $0.latest[id] } }

  /// The transfers whose progress is known or read.
  var transfers: Set<TransferID> { state.withLock { Set($0.streams.keys).union($0.latest.keys) } }

  /// Calls the closure with each later report.
  func relay(_ relay: @escaping @Sendable (TransferProgress, TransferID) -> Void) {
    state.withLock { $0.relays.append(relay) }
  }

  func report(_ progress: TransferProgress, of id: TransferID) {
    let (streams, relays) = state.withLock { state in
      state.latest[id] = progress
      return (state.streams[id].map { Array($0.values) } ?? [], state.relays)
    }
    for stream in streams { stream.yield(progress) }
    for relay in relays { relay(progress, id) }
  }

  /// Ends the streams of a transfer that has ended.
  func finish(_ id: TransferID) {
    let streams = state.withLock { state in
      state.latest[id] = nil
      return state.streams.removeValue(forKey: id).map { Array($0.values) } ?? []
    }
    for stream in streams { stream.finish() }
  }

  func finishAll() { for id in transfers { finish(id) } }

  func stream(of id: TransferID) -> AsyncStream<TransferProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    let (number, latest) = state.withLock { state in
      state.lastStream += 1
      state.streams[id, default: [:]][state.lastStream] = continuation
      return (state.lastStream, state.latest[id])
    }
    if let latest { continuation.yield(latest) }
    continuation.onTermination = { [weak self] _ in
      let removed = self?.state.withLock { state -> AsyncStream<TransferProgress>.Continuation? in
        let removed = state.streams[id]?.removeValue(forKey: number)
        if state.streams[id]?.isEmpty == true { state.streams[id] = nil }
        return removed
      }
      // Released outside the lock.
      _ = consume removed
    }
    return stream
  }

  /// Takes the progress that another process reports; its end ends all streams.
  ///
  /// - Returns: false if the line is about something else.
  func hear(_ line: RunnerLine?) -> Bool {
    guard let line else {
      finishAll()
      return true
    }
    guard let told = line.progress else { return false }
    report(TransferProgress(completed: told.completed, total: told.total), of: TransferID(told.transfer))
    return true
  }
}
