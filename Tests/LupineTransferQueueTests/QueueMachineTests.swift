import LupineFixtures
import Testing

@testable import LupineTransferQueue

/// The state machine of a queue, which has neither a disk nor a network.
@Suite struct QueueMachineTests {
  typealias Action = QueueMachine.Action
  typealias Input = QueueMachine.Input

  private static let one = TransferID(1)
  private static let result = TransferResult(path: "/data/a")
  private static let failure = TransferFailure(kind: "connectionLost", message: "The connection was lost.")

  private static func item(
    _ number: Int64, host: String = "a", priority: TransferPriority = .normal, deadline: Int64? = nil,
    credential: String? = nil, state: TransferState = .waiting
  ) -> QueueMachine.Item {
    QueueMachine.Item(
      id: TransferID(number), host: host, priority: priority, deadline: deadline, credential: credential, state: state)
  }

  private static func machine(_ total: Int = 4, _ perHost: Int = 2) -> QueueMachine {
    QueueMachine(QueueMachine.Limits(total: total, perHost: perHost))
  }

  /// The inputs of one transfer, the state after them, and the actions of the last one.
  static let table: [(inputs: [Input], state: TransferState?, actions: [Action])] = [
    ([], .running, [.store(one, .running), .start(one)]),
    ([.pause(one)], .paused, [.store(one, .paused), .stop(one)]),
    ([.pause(one), .ended(one, .stopped)], .paused, []),
    ([.pause(one), .resume(one)], .waiting, [.store(one, .waiting)]),
    (
      [.pause(one), .resume(one), .ended(one, .stopped)], .running, [.store(one, .running), .start(one)]
    ),
    (
      [.pause(one), .ended(one, .finished(result))], .finished,
      [.store(one, .finished), .tell(number: 1, one, .finished(result))]
    ),
    (
      [.ended(one, .finished(result))], .finished,
      [.store(one, .finished), .tell(number: 1, one, .finished(result))]
    ),
    ([.ended(one, .finished(result)), .acknowledge(1)], nil, [.forget(number: 1), .delete(one)]),
    ([.ended(one, .finished(result)), .pause(one)], .finished, []),
    ([.ended(one, .finished(result)), .cancel(one)], .finished, []),
    (
      [.ended(one, .failed(failure, .other))], .failed,
      [.store(one, .failed), .tell(number: 1, one, .failed(failure))]
    ),
    ([.ended(one, .failed(failure, .other)), .acknowledge(1)], .failed, [.forget(number: 1)]),
    (
      [.ended(one, .failed(failure, .other)), .resume(one)], .running,
      [.store(one, .waiting), .store(one, .running), .start(one)]
    ),
    (
      [.ended(one, .failed(failure, .connection))], .failed,
      [.store(one, .failed), .tell(number: 1, one, .failed(failure))]
    ),
    (
      [.network(isAvailable: false), .ended(one, .failed(failure, .connection))], .waitingForNetwork,
      [.store(one, .waitingForNetwork)]
    ),
    (
      [
        .network(isAvailable: false), .ended(one, .failed(failure, .connection)), .network(isAvailable: true),
      ], .running, [.store(one, .waiting), .store(one, .running), .start(one)]
    ),
    (
      [.ended(one, .failed(failure, .credential))], .waitingForCredential,
      [.store(one, .waitingForCredential), .tell(number: 1, one, .needsCredential(nil))]
    ),
    (
      [.ended(one, .failed(failure, .credential)), .credentialsChanged], .running,
      [.store(one, .waiting), .store(one, .running), .start(one)]
    ),
    (
      [.cancel(one)], .cancelled,
      [.store(one, .cancelled), .tell(number: 1, one, .cancelled), .stop(one)]
    ),
    ([.cancel(one), .ended(one, .stopped)], .cancelled, [.discard(one)]),
    ([.cancel(one), .ended(one, .finished(result))], .cancelled, [.discard(one)]),
    ([.cancel(one), .ended(one, .stopped), .acknowledge(1)], .cancelled, [.forget(number: 1)]),
    ([.cancel(one), .ended(one, .stopped), .acknowledge(1), .discarded(one)], nil, [.delete(one)]),
    (
      [.cancel(one), .ended(one, .stopped), .discarded(one), .acknowledge(1)], nil, [.forget(number: 1), .delete(one)]
    ),
    ([.remove(one)], .running, [.storeRemoval(one), .stop(one)]),
    ([.remove(one), .ended(one, .stopped)], .running, [.discard(one)]),
    ([.remove(one), .ended(one, .stopped), .discarded(one)], nil, [.delete(one)]),
    (
      [.ended(one, .finished(result)), .remove(one)], .finished,
      [.forget(number: 1), .storeRemoval(one), .discard(one)]
    ),
    ([.ended(one, .stopped)], .running, [.store(one, .waiting), .store(one, .running), .start(one)]),
    (
      [
        .remove(one), .ended(one, .stopped), .discarded(one), .network(isAvailable: true),
        .restarted([item(1, state: .waitingForNetwork)], events: [:], lastEvent: 0),
      ], .running, [.store(one, .waiting), .store(one, .running), .start(one)]
    ),
    (
      [
        .remove(one), .ended(one, .stopped), .discarded(one), .network(isAvailable: false),
        .restarted([item(1, state: .waitingForNetwork)], events: [:], lastEvent: 0),
      ], .waitingForNetwork, []
    ),
    ([.acknowledge(7)], .running, []),
    ([.pause(TransferID(2))], .running, []),
  ]

  @Test(arguments: table.indices)
  func `each input leads to its state and its actions`(index: Int) {
    let row = Self.table[index]
    var machine = Self.machine()
    var actions = machine.handle(.added([Self.item(1)]))
    for input in row.inputs { actions = machine.handle(input) }
    #expect(machine.items[Self.one]?.state == row.state, "\(row.inputs)")
    #expect(actions == row.actions, "\(row.inputs)")
  }

  private static func started(_ actions: [Action]) -> [Int64] {
    actions.compactMap { if case .start(let id) = $0 { id.number } else { nil } }
  }

  @Test func `a higher priority starts first, and the order of addition decides within one`() {
    var machine = Self.machine(1, 1)
    let items = [
      Self.item(1, priority: .low), Self.item(2), Self.item(3, priority: .high), Self.item(4, priority: .high),
    ]
    var order = Self.started(machine.handle(.added(items)))
    for _ in 0..<3 {
      guard let last = order.last else { break }
      order += Self.started(machine.handle(.ended(TransferID(last), .finished(Self.result))))
    }
    #expect(order == [3, 4, 2, 1])
  }

  @Test func `a host at its limit holds up no other host`() {
    var machine = Self.machine(4, 2)
    let slow = (1...50).map { Self.item($0, host: "slow", priority: .high) }
    let started = Self.started(machine.handle(.added(slow + [Self.item(51, host: "a"), Self.item(52, host: "b")])))
    #expect(started == [1, 2, 51, 52])
  }

  @Test(
    arguments: [
      ([(4, .front(of: .normal)), (2, .back(of: .normal))], [1, 4, 3, 5, 2]),
      ([(4, .before(one)), (5, .before(TransferID(4)))], [1, 5, 4, 2, 3]),
      ([(5, .before(TransferID(3)))], [1, 2, 5, 3, 4]),
      ([(2, .after(TransferID(5)))], [1, 3, 4, 5, 2]),
      ([(2, .after(TransferID(3))), (5, .after(TransferID(3)))], [1, 3, 5, 2, 4]),
      ([(5, .front(of: .high)), (4, .after(TransferID(5)))], [1, 5, 4, 2, 3]),
      ([(2, .back(of: .low)), (3, .before(TransferID(2)))], [1, 4, 5, 3, 2]),
      // Beside itself, beside none, and none.
      ([(3, .before(TransferID(3))), (3, .after(TransferID(9))), (9, .front(of: .high))], [1, 2, 3, 4, 5]),
    ] as [([(Int64, TransferPlace)], [Int64])])
  func `a moved transfer starts at its new place`(moves: [(id: Int64, place: TransferPlace)], expected: [Int64]) {
    var machine = Self.machine(1, 1)
    _ = machine.handle(.added((1...5).map { Self.item($0) }))
    for move in moves { _ = machine.handle(.move(TransferID(move.id), move.place)) }
    var order: [Int64] = [1]
    while order.count < 5, let last = order.last {
      order += Self.started(machine.handle(.ended(TransferID(last), .finished(Self.result))))
    }
    #expect(order == expected)
  }

  @Test func `a transfer that is added after a move comes last, also directly after the moved one`() {
    var machine = Self.machine(9, 9)
    _ = machine.handle(.network(isAvailable: false))
    _ = machine.handle(.added((1...3).map { Self.item($0) }))
    _ = machine.handle(.move(Self.one, .after(TransferID(3))))
    _ = machine.handle(.added([Self.item(4)]))
    #expect(Self.started(machine.handle(.network(isAvailable: true))) == [2, 3, 1, 4])
  }

  @Test func `transfers are in the order of a list that is changed in the same way, also after a restart`() {
    var generator = SplitMix(seed: Seeds.first)
    var machine = Self.machine(40, 40)
    _ = machine.handle(.network(isAvailable: false))
    var lists: [TransferPriority: [Int64]] = [:]
    for number in 1...Int64(40) {
      let priority = TransferPriority.allCases.randomElement(using: &generator) ?? .normal
      _ = machine.handle(.added([Self.item(number, priority: priority)]))
      lists[priority, default: []].append(number)
      for _ in 0..<20 {
        let (id, other) = (
          Int64.random(in: 1...number, using: &generator), Int64.random(in: 1...number, using: &generator)
        )
        let target = TransferPriority.allCases.randomElement(using: &generator) ?? .normal
        let places: [TransferPlace] = [
          .front(of: target), .back(of: target), .before(TransferID(other)), .after(TransferID(other)),
        ]
        let kind = Int.random(in: 0..<4, using: &generator)
        _ = machine.handle(.move(TransferID(id), places[kind]))
        guard kind < 2 || id != other else { continue }
        let key = kind < 2 ? target : lists.first { $0.value.contains(other) }?.key ?? target
        for priority in lists.keys { lists[priority]?.removeAll { $0 == id } }
        let index = (lists[key] ?? []).firstIndex(of: other) ?? 0
        lists[key, default: []].insert(id, at: [0, lists[key]?.count ?? 0, index, index + 1][kind])
      }
    }
    var second = Self.machine(40, 40)
    _ = second.handle(.network(isAvailable: false))
    _ = second.handle(.restarted(Array(machine.items.values), events: [:], lastEvent: 0))
    let expected = TransferPriority.allCases.reversed().flatMap { lists[$0] ?? [] }
    #expect(Self.started(machine.handle(.network(isAvailable: true))) == expected)
    #expect(Self.started(second.handle(.network(isAvailable: true))) == expected)
  }

  @Test func `a deadline fails a transfer whatever it waits for, and stops one that runs`() {
    var machine = Self.machine(1, 1)
    _ = machine.handle(.added([Self.item(1, deadline: 10), Self.item(2, deadline: 20), Self.item(3, deadline: 30)]))
    _ = machine.handle(.pause(TransferID(3)))
    #expect(machine.nextDeadline == 10)
    #expect(machine.handle(.time(9)) == [])
    let actions = machine.handle(.time(25))
    #expect(actions.contains(.stop(TransferID(1))))
    #expect(machine.items.values.filter { $0.state == .failed }.count == 2)
    #expect(machine.nextDeadline == 30)
  }

  @Test func `a restart takes up what ran, and tells no event again under another number`() {
    var machine = Self.machine()
    let items = [
      Self.item(1, state: .running), Self.item(2, state: .paused), Self.item(3, state: .finished),
      Self.item(4, state: .cancelled),
    ]
    let actions = machine.handle(.restarted(items, events: [7: TransferID(3)], lastEvent: 9))
    #expect(
      actions == [
        .store(Self.one, .waiting), .discard(TransferID(4)), .store(Self.one, .running), .start(Self.one),
      ])
    #expect(
      machine.handle(.ended(Self.one, .finished(Self.result))).contains(
        .tell(number: 10, Self.one, .finished(Self.result))))
    #expect(machine.handle(.acknowledge(7)) == [.forget(number: 7), .delete(TransferID(3))])
    #expect(machine.handle(.acknowledge(7)) == [])
  }

  @Test func `nothing starts while there is no network`() {
    var machine = Self.machine()
    _ = machine.handle(.network(isAvailable: false))
    #expect(machine.handle(.added([Self.item(1)])) == [])
    #expect(Self.started(machine.handle(.network(isAvailable: true))) == [1])
  }
}
