import LupineFixtures
import Testing

@testable import LupineTransferQueue

/// The table of transfers: what follows from them, and the return to an earlier state.
@Suite struct TransferTableTests {
  private static let limitPerHost = 2

  /// The answers of the table, found without its indexes.
  private static func expect(_ table: TransferTable, _ number: Int) {
    let items = table.items.values
    let load = items.reduce(into: [String: Int]()) { load, item in
      if table.active.contains(item.id) { load[item.host, default: 0] += 1 }
    }
    let next = items.filter { item in
      item.state == .waiting && !item.isRemoved && !table.active.contains(item.id)
        && load[item.host] ?? 0 < limitPerHost
    }.min { $0.key < $1.key }
    #expect(table.next == next?.id, "step \(number)")
    let open = items.filter(\.isOpen)
    #expect(table.nextDeadline == open.compactMap(\.deadline).min())
    #expect(table.late(at: 50) == open.filter { $0.deadline.map { $0 <= 50 } ?? false }.map(\.id).sorted())
    for group in ["a", "b"] { #expect(table.openCount(ofGroup: group) == open.filter { $0.group == group }.count) }
    for item in items {
      #expect(table.events(of: item.id) == table.events.filter { $0.value == item.id }.map(\.key).sorted())
      #expect(table.hasEvents(of: item.id) == table.events.values.contains(item.id))
    }
  }

  private static func change(_ table: inout TransferTable, _ generator: inout SplitMix) {
    let id = TransferID(Int64.random(in: 1...30, using: &generator))
    switch Int.random(in: 0..<7, using: &generator) {
    case 0 where !table.active.contains(id): table[id] = nil
    case 1: if table[id] != nil { table.setActive(id, Bool.random(using: &generator)) }
    case 2: table.setDiscarding(id, Bool.random(using: &generator))
    case 3:
      table.setLastEvent(table.lastEvent + 1)
      table.setEvent(table.lastEvent, id)
    case 4: if let number = table.events.keys.min() { table.setEvent(number, nil) }
    default:
      let host = "\(id.number % 5)"
      let group: String? = ["a", "b", nil][Int(id.number % 3)]
      table[id] = QueueMachine.Item(
        id: id, host: host, priority: TransferPriority.allCases.randomElement(using: &generator) ?? .low,
        place: Int64.random(in: -3...0, using: &generator),
        deadline: id.number % 4 == 0 ? Int64.random(in: 0..<100, using: &generator) : nil, group: group,
        state: TransferState.allCases.randomElement(using: &generator) ?? .waiting,
        isRemoved: Int.random(in: 0..<5, using: &generator) == 0)
    }
  }

  @Test func `the indexes are those of the transfers, whatever was changed, kept and undone`() {
    var generator = SplitMix(seed: Seeds.first)
    var table = TransferTable(limitPerHost: Self.limitPerHost)
    for number in 0..<400 {
      let before = table
      for _ in 0..<Int.random(in: 1...10, using: &generator) { Self.change(&table, &generator) }
      Self.expect(table, number)
      guard Bool.random(using: &generator) else {
        table.keepChanges()
        continue
      }
      table.undoChanges()
      Self.expect(table, number)
      #expect(table.items == before.items)
      #expect(table.active == before.active)
      #expect(table.discarding == before.discarding)
      #expect(table.events == before.events)
      #expect(table.lastEvent == before.lastEvent)
    }
  }

  @Test func `changes that are kept are not undone`() {
    var table = TransferTable(limitPerHost: 1)
    table[TransferID(1)] = QueueMachine.Item(id: TransferID(1), host: "a")
    table.keepChanges()
    table.setActive(TransferID(1), true)
    #expect(table.next == nil)
    table.undoChanges()
    #expect(table.next == TransferID(1))
  }
}
