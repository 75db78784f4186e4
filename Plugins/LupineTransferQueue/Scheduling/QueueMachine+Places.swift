/// The places of transfers within their priorities.
///
/// The place of a new transfer is 0, and transfers with the same place are in the order of their numbers. No place is
/// greater than 0, so that a new transfer comes after all others.
extension QueueMachine {
  /// The room that is made between two transfers for those that are moved there.
  private static let room: Int64 = 1 << 20

  mutating func move(_ id: TransferID, to place: TransferPlace, _ actions: inout [Action]) {
    guard let item = table[id], !item.isRemoved else { return }
    switch place {
    case .front(let priority): insert(id, at: 0, in: others(of: priority, than: id), priority, &actions)
    case .back(let priority):
      let others = others(of: priority, than: id)
      insert(id, at: others.count, in: others, priority, &actions)
    case .before(let other): move(id, beside: other, offset: 0, &actions)
    case .after(let other): move(id, beside: other, offset: 1, &actions)
    }
  }

  private mutating func move(
    _ id: TransferID, beside other: TransferID, offset: Int, _ actions: inout [Action]
  ) {
    guard let priority = table[other]?.priority else { return }
    let others = others(of: priority, than: id)
    guard let index = others.firstIndex(where: { $0.id == other }) else { return }
    insert(id, at: index + offset, in: others, priority, &actions)
  }

  /// The other transfers of a priority, in their order.
  private func others(of priority: TransferPriority, than id: TransferID) -> [Item] {
    table.items.values.filter { $0.priority == priority && $0.id != id && !$0.isRemoved }.sorted { $0.key < $1.key }
  }

  /// Gives a transfer a place between two others; if there is none, those before it make room.
  private mutating func insert(
    _ id: TransferID, at index: Int, in others: [Item], _ priority: TransferPriority, _ actions: inout [Action]
  ) {
    let next = index < others.count ? others[index].place : 1
    guard index > 0 else { return set(id, priority, place: next - 1, &actions) }
    var previous = others[index - 1].place
    if next - previous < 2 {
      for item in others[..<index] { set(item.id, priority, place: item.place - Self.room, &actions) }
      previous -= Self.room
    }
    set(id, priority, place: previous + (next - previous) / 2, &actions)
  }

  private mutating func set(
    _ id: TransferID, _ priority: TransferPriority, place: Int64, _ actions: inout [Action]
  ) {
    guard var item = table[id], item.priority != priority || item.place != place else { return }
    item.priority = priority
    item.place = place
    table[id] = item
    actions.append(.storePlace(id, priority, place))
  }
}
