import LupineCore
import LupineFoundation
import LupineSession
import LupineTransfers

/// The settings of a queue, and the sources of its time and its randomness.
struct QueueSettings: Sendable {
  /// Returns the URL of a transfer at each attempt.
  typealias RefreshURL = @Sendable (TransferSnapshot) async throws -> any URLConvertible
  typealias PrepareUpload = @Sendable (UploadRequest, _ checkpoint: String, any CheckpointStore) -> any ValueRequest
  typealias DiscardUpload = @Sendable (Session, _ checkpoint: String, any CheckpointStore) async throws -> Void

  let folder: String
  let session: Session
  let limits: QueueMachine.Limits
  let bytesPerSecond: Int?
  let network: (any NetworkConditionsSource)?
  let refreshURL: RefreshURL?
  let prepareUpload: PrepareUpload?
  let discardUpload: DiscardUpload?
  /// Makes the session of a stored profile from its JSON; `nil` uses the session of the queue for all transfers.
  let sessionForProfile: (@Sendable (Data) throws -> Session)?
  let runsTransfers: Bool
  let retries: (limit: Int, delay: Duration)
  let clock: SessionClock
  let random: @Sendable () -> UInt64
  let executor: (any TaskExecutor)?
  /// The time for which a call tries to take a lock that another process holds.
  let patience: Duration
  /// The commands of groups, in a process that starts them.
  let hooks: RunningHooks?

  /// The date in milliseconds since 1970.
  var now: Int64 { session.currentDate.milliseconds }
}
