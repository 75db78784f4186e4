/// The states of all transfers of a queue, and the rules by which they change.
///
/// It knows neither a disk nor a network nor a clock: each input returns the actions that follow from it. The engine
/// stores the states and the events of one input in one transaction, and then acts.
struct QueueMachine: Sendable {
  /// The limits on the number of transfers that run at the same time.
  struct Limits: Sendable, Equatable {
    var total: Int
    var perHost: Int
  }

  /// A transfer as the machine knows it.
  struct Item: Sendable, Equatable {
    let id: TransferID
    let host: String
    var priority = TransferPriority.normal
    var place: Int64 = 0
    /// Milliseconds since 1970.
    var deadline: Int64?
    var credential: String?
    var group: String?
    var state = TransferState.waiting
    /// Whether the program has removed it; it goes as soon as its files are gone.
    var isRemoved = false
    /// Whether the folder of the queue has a file of the transfer, which goes at its end.
    var hasFiles = false

    var key: WaitingLine.Key { WaitingLine.Key(priority: priority, place: place, id: id) }
  }

  /// The reason of a failure, as far as it decides about the next state.
  enum Cause: Sendable, Equatable {
    case connection
    case credential
    case other
  }

  /// The end of a transfer's task.
  enum Ending: Sendable, Equatable {
    case finished(TransferResult)
    case failed(TransferFailure, Cause)
    /// The task was stopped.
    case stopped
  }

  enum Input: Sendable, Equatable {
    /// Transfers are in the database.
    case added([Item])
    /// A process begins with these transfers and unacknowledged events.
    case restarted([Item], events: [Int64: TransferID], lastEvent: Int64)
    case ended(TransferID, Ending)
    /// The files of a transfer that has ended are gone.
    case discarded(TransferID)
    case pause(TransferID)
    case resume(TransferID)
    case cancel(TransferID)
    case remove(TransferID)
    case move(TransferID, TransferPlace)
    case acknowledge(Int64)
    case credentialsChanged
    /// The command that was started for a completion of a group has ended, or was not needed.
    case hookEnded(String, completion: Int64, code: Int32?)
    case network(isAvailable: Bool)
    /// The date, in milliseconds since 1970.
    case time(Int64)
  }

  enum Action: Sendable, Equatable {
    // Stored in one transaction.
    case store(TransferID, TransferState)
    case storePlace(TransferID, TransferPriority, Int64)
    case storeRemoval(TransferID)
    case tell(number: Int64, TransferID, TransferEvent.Kind)
    case forget(number: Int64)
    case delete(TransferID)
    /// All transfers of the group have ended.
    case completeGroup(String)
    case storeHookEnd(String, completion: Int64, code: Int32?)
    // After the transaction.
    case start(TransferID)
    case stop(TransferID)
    /// Remove the partial file, the checkpoint and the body of the transfer.
    case discard(TransferID)
  }

  let limits: Limits
  var table: TransferTable
  /// Whether there is a network.
  var isOnline = true
  /// Whether the process is about to close the queue: nothing starts any more.
  var isClosing = false
  /// The state of the network before the changes that can be undone.
  var onlineBefore: Bool?

  init(_ limits: Limits) {
    self.limits = limits
    table = TransferTable(limitPerHost: limits.perHost)
  }

  var items: [TransferID: Item] { table.items }

  /// The unacknowledged events.
  var events: [Int64: TransferID] { table.events }

  /// The earliest deadline of a transfer that has not ended.
  var nextDeadline: Int64? { table.nextDeadline }

  /// Whether a transfer of the group has an unacknowledged event.
  func hasEvents(ofGroup group: String) -> Bool { events.values.contains { table[$0]?.group == group } }

  /// Whether the transfer is listed.
  func isListed(_ id: TransferID) -> Bool { table[id].map { !$0.isRemoved } ?? false }

  /// Makes final what the inputs have changed.
  mutating func keepChanges() {
    table.keepChanges()
    onlineBefore = nil
  }

  /// Goes back to the state before the inputs since the last call of `keepChanges()`.
  mutating func undoChanges() {
    table.undoChanges()
    isOnline = onlineBefore ?? isOnline
    onlineBefore = nil
  }
}
