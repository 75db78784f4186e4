/// The state of a transfer.
///
/// The queue writes a state to the disk before it reports it.
public enum TransferState: Int, Sendable, Hashable, Codable, CaseIterable {
  /// It waits for its turn.
  case waiting = 0
  /// It runs, or ran when the last process ended.
  case running = 1
  /// The program has paused it.
  case paused = 2
  /// It failed because there was no network, and waits for one.
  case waitingForNetwork = 3
  /// The session has no credential for it; it waits for `TransferQueue.credentialsChanged()` or `resume(_:)`.
  case waitingForCredential = 4
  /// It has ended well.
  case finished = 5
  /// It has failed; `TransferQueue.resume(_:)` tries it again.
  case failed = 6
  /// The program has cancelled it.
  case cancelled = 7

  /// Whether the transfer has ended; a failed one can still be resumed.
  public var isEnded: Bool {
    switch self {
    case .finished, .failed, .cancelled: true
    case .waiting, .running, .paused, .waitingForNetwork, .waitingForCredential: false
    }
  }
}
