import LupineCore
import LupineFoundation
import LupineSession

/// The settings of a queue, and the sources of its time and its randomness.
struct QueueSettings: Sendable {
  let folder: String
  let session: Session
  let configuration: TransferQueue.Configuration
  let clock: SessionClock
  let random: @Sendable () -> UInt64
  let executor: (any TaskExecutor)?
  /// The time for which a call tries to take a lock that another process holds.
  let patience: Duration
  /// The commands of groups, in a process that starts them.
  var hooks: RunningHooks?

  /// The date in milliseconds since 1970.
  var now: Int64 { session.currentDate.milliseconds }
}
