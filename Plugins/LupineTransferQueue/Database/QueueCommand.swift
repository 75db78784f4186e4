/// A command of a process that does not run the transfers, as the database has it.
enum QueueCommand: Int, Sendable {
  case pause = 0
  case resume = 1
  case cancel = 2
  case remove = 3
  /// The value is the number of the event.
  case acknowledge = 4
  case credentialsChanged = 5
  /// The value of this one and the next one is the priority.
  case moveToFront = 6
  case moveToBack = 7
  /// The value of this one and the next one is the number of the other transfer.
  case moveBefore = 8
  case moveAfter = 9

  /// The input of the machine.
  func input(_ id: TransferID, _ value: Int64) -> QueueMachine.Input {
    let priority = TransferPriority(rawValue: Int(value)) ?? .normal
    return switch self {
    case .pause: .pause(id)
    case .resume: .resume(id)
    case .cancel: .cancel(id)
    case .remove: .remove(id)
    case .acknowledge: .acknowledge(value)
    case .credentialsChanged: .credentialsChanged
    case .moveToFront: .move(id, .front(of: priority))
    case .moveToBack: .move(id, .back(of: priority))
    case .moveBefore: .move(id, .before(TransferID(value)))
    case .moveAfter: .move(id, .after(TransferID(value)))
    }
  }

  /// The command that moves a transfer, and its value.
  static func moving(to place: TransferPlace) -> (QueueCommand, Int64) {
    switch place {
    case .front(let priority): (.moveToFront, Int64(priority.rawValue))
    case .back(let priority): (.moveToBack, Int64(priority.rawValue))
    case .before(let other): (.moveBefore, other.number)
    case .after(let other): (.moveAfter, other.number)
    }
  }
}
