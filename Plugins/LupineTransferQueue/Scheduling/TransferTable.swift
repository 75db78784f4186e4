/// The transfers of a queue and their unacknowledged events, with what follows from them: the line of those that wait, the
/// deadlines, and the transfers of each group that have not ended.
///
/// Each change costs about as much in a table of 100,000 transfers as in a small one, and can be undone.
struct TransferTable: Sendable {
  typealias Item = QueueMachine.Item

  private struct Deadline: Comparable {
    let date: Int64
    let id: TransferID

    static func < (left: Deadline, right: Deadline) -> Bool {
      left.date != right.date ? left.date < right.date : left.id < right.id
    }
  }

  /// The entry before a change.
  private enum Change {
    case item(TransferID, Item?)
    case active(TransferID, Bool)
    case discarding(TransferID, Bool)
    case event(Int64, TransferID?)
    case lastEvent(Int64)
  }

  private(set) var items: [TransferID: Item] = [:]
  /// The transfers that have a task: they run, or they are being stopped.
  private(set) var active: Set<TransferID> = []
  /// The transfers whose files are being removed.
  private(set) var discarding: Set<TransferID> = []
  /// The unacknowledged events.
  private(set) var events: [Int64: TransferID] = [:]
  private(set) var lastEvent: Int64 = 0
  private var eventsOfTransfer: [TransferID: Set<Int64>] = [:]
  private var line: WaitingLine
  private var deadlines = SortedKeys<Deadline>()
  private var openInGroup: [String: Int] = [:]
  /// The changes since the last call of `keepChanges()` or `undoChanges()`.
  private var changes: [Change] = []

  init(limitPerHost: Int) { line = WaitingLine(limitPerHost: limitPerHost) }

  /// The first transfer that waits for its turn, has no task, and whose host has room.
  var next: TransferID? { line.first }

  /// The earliest deadline of a transfer that has not ended.
  var nextDeadline: Int64? { deadlines.first?.date }

  /// The transfers whose deadlines have come, in the order of their numbers.
  func late(at now: Int64) -> [TransferID] { deadlines.prefix { $0.date <= now }.map(\.id).sorted() }

  /// The numbers of the unacknowledged events of a transfer, in their order.
  func events(of id: TransferID) -> [Int64] { eventsOfTransfer[id]?.sorted() ?? [] }

  func hasEvents(of id: TransferID) -> Bool { eventsOfTransfer[id] != nil }

  /// The number of transfers of a group that have not ended.
  func openCount(ofGroup group: String) -> Int { openInGroup[group] ?? 0 }

  subscript(id: TransferID) -> Item? {
    get { items[id] }
    set {
      changes.append(.item(id, items[id]))
      replace(id, with: newValue)
    }
  }

  mutating func setActive(_ id: TransferID, _ isActive: Bool) {
    guard active.contains(id) != isActive else { return }
    changes.append(.active(id, !isActive))
    replaceActive(id, isActive)
  }

  mutating func setDiscarding(_ id: TransferID, _ isDiscarding: Bool) {
    guard discarding.contains(id) != isDiscarding else { return }
    changes.append(.discarding(id, !isDiscarding))
    replaceDiscarding(id, isDiscarding)
  }

  /// Adds an event of a transfer, or removes one.
  mutating func setEvent(_ number: Int64, _ id: TransferID?) {
    guard events[number] != id else { return }
    changes.append(.event(number, events[number]))
    replaceEvent(number, id)
  }

  mutating func setLastEvent(_ number: Int64) {
    changes.append(.lastEvent(lastEvent))
    lastEvent = number
  }

  /// Makes the changes final.
  mutating func keepChanges() { changes.removeAll() }

  /// Goes back to the state before the changes.
  mutating func undoChanges() {
    for change in changes.reversed() {
      switch change {
      case .item(let id, let item): replace(id, with: item)
      case .active(let id, let isActive): replaceActive(id, isActive)
      case .discarding(let id, let isDiscarding): replaceDiscarding(id, isDiscarding)
      case .event(let number, let id): replaceEvent(number, id)
      case .lastEvent(let number): lastEvent = number
      }
    }
    changes.removeAll()
  }

  private mutating func replace(_ id: TransferID, with item: Item?) {
    if let old = items[id] { forget(old) }
    items[id] = item
    if let item { note(item) }
  }

  private mutating func replaceActive(_ id: TransferID, _ isActive: Bool) {
    guard let item = items[id] else { return }
    forget(item)
    if isActive { active.insert(id) } else { active.remove(id) }
    note(item)
  }

  private mutating func replaceDiscarding(_ id: TransferID, _ isDiscarding: Bool) {
    if isDiscarding { discarding.insert(id) } else { discarding.remove(id) }
  }

  private mutating func replaceEvent(_ number: Int64, _ id: TransferID?) {
    if let old = events[number] {
      var numbers = eventsOfTransfer.removeValue(forKey: old) ?? []
      numbers.remove(number)
      if !numbers.isEmpty { eventsOfTransfer[old] = numbers }
    }
    events[number] = id
    if let id { eventsOfTransfer[id, default: []].insert(number) }
  }

  private mutating func note(_ item: Item) {
    if active.contains(item.id) {
      line.begin(at: item.host)
    } else if item.waits {
      line.insert(item.key, host: item.host)
    }
    guard item.isOpen else { return }
    if let date = item.deadline { deadlines.insert(Deadline(date: date, id: item.id)) }
    if let group = item.group { openInGroup[group, default: 0] += 1 }
  }

  private mutating func forget(_ item: Item) {
    if active.contains(item.id) {
      line.end(at: item.host)
    } else if item.waits {
      line.remove(item.key, host: item.host)
    }
    guard item.isOpen else { return }
    if let date = item.deadline { deadlines.remove(Deadline(date: date, id: item.id)) }
    guard let group = item.group, let count = openInGroup.removeValue(forKey: group), count > 1 else { return }
    openInGroup[group] = count - 1
  }
}

extension QueueMachine.Item {
  /// Whether it has not ended and is not removed.
  var isOpen: Bool { !state.isEnded && !isRemoved }

  fileprivate var waits: Bool { state == .waiting && !isRemoved }
}
