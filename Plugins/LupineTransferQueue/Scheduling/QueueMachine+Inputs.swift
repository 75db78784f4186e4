extension QueueMachine {
  /// Changes the states, and returns the actions that follow.
  mutating func handle(_ input: Input) -> [Action] {
    var actions: [Action] = []
    switch input {
    case .added(let items): for item in items where table[item.id] == nil { table[item.id] = item }
    case .restarted(let items, let events, let lastEvent): restart(items, events, lastEvent, &actions)
    case .ended(let id, let ending): end(id, ending, &actions)
    case .discarded(let id): discarded(id, &actions)
    case .pause(let id): pause(id, &actions)
    case .resume(let id): resume(id, &actions)
    case .cancel(let id): cancel(id, &actions)
    case .remove(let id): remove(id, &actions)
    case .move(let id, let place): move(id, to: place, &actions)
    case .acknowledge(let number): acknowledge(number, &actions)
    case .hookEnded(let group, let completion, let code):
      actions.append(.storeHookEnd(group, completion: completion, code: code))
    case .credentialsChanged: wake(.waitingForCredential, &actions)
    case .network(let isAvailable):
      onlineBefore = onlineBefore ?? isOnline
      isOnline = isAvailable
      if isAvailable { wake(.waitingForNetwork, &actions) }
    case .time(let now): expire(now, &actions)
    }
    startNext(&actions)
    return actions
  }

  private mutating func restart(
    _ restored: [Item], _ events: [Int64: TransferID], _ lastEvent: Int64, _ actions: inout [Action]
  ) {
    for number in table.events.keys where events[number] == nil { table.setEvent(number, nil) }
    for (number, id) in events { table.setEvent(number, id) }
    table.setLastEvent(max(lastEvent, events.keys.max() ?? 0))
    for var item in restored.sorted(by: { $0.id < $1.id }) where table[item.id] == nil {
      if item.state == .running, !item.isRemoved {
        item.state = .waiting
        actions.append(.store(item.id, .waiting))
      }
      table[item.id] = item
      let isOver = item.state == .cancelled || item.state == .finished && item.hasFiles
      if item.isRemoved || isOver { discard(item.id, &actions) }
    }
    // The state of the network was told before these transfers were known.
    if isOnline { wake(.waitingForNetwork, &actions) }
  }

  private mutating func set(_ id: TransferID, _ state: TransferState, _ actions: inout [Action]) {
    guard var item = table[id], item.state != state else { return }
    item.state = state
    change(item, .store(id, state), &actions)
  }

  /// Changes a transfer, and completes its group if it is the last one that ends.
  private mutating func change(_ item: Item, _ action: Action, _ actions: inout [Action]) {
    let wasOpen = table[item.id]?.isOpen ?? false
    table[item.id] = item
    actions.append(action)
    guard let group = item.group, wasOpen, !item.isOpen, table.openCount(ofGroup: group) == 0 else { return }
    actions.append(.completeGroup(group))
  }

  private mutating func tell(_ id: TransferID, _ kind: TransferEvent.Kind, _ actions: inout [Action]) {
    let number = table.lastEvent + 1
    table.setLastEvent(number)
    table.setEvent(number, id)
    actions.append(.tell(number: number, id, kind))
  }

  private mutating func end(_ id: TransferID, _ ending: Ending, _ actions: inout [Action]) {
    guard table.active.contains(id), let item = table[id] else { return }
    table.setActive(id, false)
    if item.isRemoved || item.state == .cancelled { return discard(id, &actions) }
    switch ending {
    case .stopped:
      // Stopped by a failure of the queue itself: the transfer runs again later.
      if item.state == .running { set(id, .waiting, &actions) }
    case .finished(let result):
      guard item.state != .failed else { return }
      set(id, .finished, &actions)
      tell(id, .finished(result), &actions)
      if item.hasFiles { discard(id, &actions) }
    case .failed(let failure, let cause):
      // Paused, or resumed before the task has ended.
      guard item.state == .running else { return }
      fail(item, failure, cause, &actions)
    }
  }

  private mutating func fail(
    _ item: Item, _ failure: TransferFailure, _ cause: Cause, _ actions: inout [Action]
  ) {
    switch cause {
    case .connection where !isOnline: set(item.id, .waitingForNetwork, &actions)
    case .credential:
      set(item.id, .waitingForCredential, &actions)
      tell(item.id, .needsCredential(item.credential), &actions)
    case .connection, .other:
      set(item.id, .failed, &actions)
      tell(item.id, .failed(failure), &actions)
    }
  }

  private mutating func pause(_ id: TransferID, _ actions: inout [Action]) {
    guard let item = table[id], !item.isRemoved, !item.state.isEnded, item.state != .paused else { return }
    set(id, .paused, &actions)
    if table.active.contains(id) { actions.append(.stop(id)) }
  }

  private mutating func resume(_ id: TransferID, _ actions: inout [Action]) {
    guard let item = table[id], !item.isRemoved else { return }
    switch item.state {
    case .paused, .failed, .waitingForNetwork, .waitingForCredential: set(id, .waiting, &actions)
    case .waiting, .running, .finished, .cancelled: break
    }
  }

  private mutating func cancel(_ id: TransferID, _ actions: inout [Action]) {
    guard let item = table[id], !item.isRemoved, item.state != .finished, item.state != .cancelled else { return }
    set(id, .cancelled, &actions)
    tell(id, .cancelled, &actions)
    if table.active.contains(id) { actions.append(.stop(id)) } else { discard(id, &actions) }
  }

  private mutating func remove(_ id: TransferID, _ actions: inout [Action]) {
    guard var item = table[id], !item.isRemoved else { return }
    for number in table.events(of: id) {
      table.setEvent(number, nil)
      actions.append(.forget(number: number))
    }
    item.isRemoved = true
    change(item, .storeRemoval(id), &actions)
    if table.active.contains(id) { actions.append(.stop(id)) } else { discard(id, &actions) }
  }

  private mutating func discard(_ id: TransferID, _ actions: inout [Action]) {
    guard !table.discarding.contains(id) else { return }
    table.setDiscarding(id, true)
    actions.append(.discard(id))
  }

  private mutating func discarded(_ id: TransferID, _ actions: inout [Action]) {
    guard table.discarding.contains(id) else { return }
    table.setDiscarding(id, false)
    forgetIfDone(id, &actions)
  }

  private mutating func acknowledge(_ number: Int64, _ actions: inout [Action]) {
    guard let id = table.events[number] else { return }
    table.setEvent(number, nil)
    actions.append(.forget(number: number))
    forgetIfDone(id, &actions)
  }

  /// Deletes a transfer that is removed, or whose end is acknowledged, as soon as its files are gone.
  private mutating func forgetIfDone(_ id: TransferID, _ actions: inout [Action]) {
    guard let item = table[id], !table.active.contains(id), !table.discarding.contains(id) else { return }
    let isOver = item.state == .finished || item.state == .cancelled
    guard item.isRemoved || isOver && !table.hasEvents(of: id) else { return }
    table[id] = nil
    actions.append(.delete(id))
  }

  private mutating func wake(_ state: TransferState, _ actions: inout [Action]) {
    let waiting = table.items.values.filter { $0.state == state && !$0.isRemoved }.map(\.id)
    for id in waiting.sorted() { set(id, .waiting, &actions) }
  }

  private mutating func expire(_ now: Int64, _ actions: inout [Action]) {
    for id in table.late(at: now) {
      set(id, .failed, &actions)
      let message = "The deadline of the transfer has passed; remove it, and add it again with another one."
      tell(id, .failed(TransferFailure(kind: "timedOut(total)", message: message)), &actions)
      if table.active.contains(id) { actions.append(.stop(id)) }
    }
  }

  private mutating func startNext(_ actions: inout [Action]) {
    while isOnline, !isClosing, table.active.count < limits.total, let id = table.next {
      set(id, .running, &actions)
      table.setActive(id, true)
      actions.append(.start(id))
    }
  }
}
