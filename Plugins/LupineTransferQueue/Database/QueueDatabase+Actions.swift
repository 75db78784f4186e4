import LupineSQLiteConnection

extension QueueDatabase {
  /// Stores what an action of the machine changes.
  func store(_ action: QueueMachine.Action) throws(SQLiteFailure) {
    switch action {
    case .store(let id, let state):
      try store(id, state)
      if state == .finished { try removeCheckpoint(of: id) }
    case .storePlace(let id, let priority, let place): try store(id, priority, place: place)
    case .storeRemoval(let id): try storeRemoval(id)
    case .tell(let number, let id, let kind): try insertEvent(number, id, kind)
    case .forget(let number): try deleteEvent(number)
    case .delete(let id): try delete(id)
    case .completeGroup(let group): try completeGroup(group)
    case .storeHookEnd(let group, let completion, let code): try endHook(group, completion: completion, code: code)
    case .start, .stop, .discard: break
    }
  }
}
