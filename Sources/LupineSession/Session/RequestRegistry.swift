package import LupineCore
import Synchronization

/// The requests of a session that are running, and the handlers that are still to be called.
package final class RequestRegistry: Sendable {
  private struct State {
    /// The requests, each at the place that it knows, so that it is found without a search; `nil` where a place is free.
    var places: [RequestExecution?] = []
    var freePlaces: [Int] = []
    /// How many tasks call handlers of requests that have ended.
    var deliveries = 0
    var closing: LupineError?
    var waiters: [CheckedContinuation<Void, Never>] = []

    var isIdle: Bool { freePlaces.count == places.count && deliveries == 0 }

    mutating func insert(_ task: RequestExecution) {
      guard task.place.load(ordering: .relaxed) < 0 else { return }
      let place = freePlaces.popLast() ?? places.count
      if place == places.count { places.append(task) } else { places[place] = task }
      task.place.store(place, ordering: .relaxed)
    }

    mutating func remove(_ task: RequestExecution) {
      let place = task.place.exchange(-1, ordering: .relaxed)
      guard place >= 0 else { return }
      places[place] = nil
      freePlaces.append(place)
    }

    /// Those to wake, where nothing is left to wait for.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard isIdle else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(State())

  var running: [RequestExecution] { state.withLock { $0.places.compactMap(\.self).sorted { $0.id < $1.id } } }

  /// Takes a request in.
  ///
  /// - Throws: the reason of `close`, once that was called.
  package func insert(_ task: RequestExecution) throws(LupineError) {
    let closing = state.withLock { state in
      if state.closing == nil { state.insert(task) }
      return state.closing
    }
    if let closing { throw closing }
  }

  /// Lets a request go that has ended.
  ///
  /// - Parameter isDelivered: whether a task calls its handlers from now on, until `endDelivery`.
  func remove(_ task: RequestExecution, isDelivered: Bool) {
    let waiters = state.withLock { state in
      state.remove(task)
      if isDelivered { state.deliveries += 1 }
      return state.takeWaiters()
    }
    if !waiters.isEmpty { Self.resume(waiters) }
  }

  /// Counts a task that calls handlers which came after their request's end; it is waited for as well.
  package func beginDelivery() { state.withLock { $0.deliveries += 1 } }

  package func endDelivery() {
    let waiters = state.withLock { state in
      state.deliveries -= 1
      return state.takeWaiters()
    }
    if !waiters.isEmpty { Self.resume(waiters) }
  }

  /// A function of its own, for the type of a continuation: the runtime searches long for it, and few requests have waiters.
  @inline(never)
  private static func resume(_ waiters: [CheckedContinuation<Void, Never>]) {
    for waiter in waiters { waiter.resume() }
  }

  /// Refuses new requests, ends those that run, and waits until they have ended.
  func close(_ reason: LupineError) async {
    state.withLock { if $0.closing == nil { $0.closing = reason } }
    for task in running { task.cancel(reason) }
    await drained()
  }

  /// Waits until no request runs and no handler waits to be called.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.isIdle { state.waiters.append(continuation) }
        return state.isIdle
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Ends the requests whose time is over and returns the earliest deadline of the others.
  func endOverdue(now: Duration) -> Duration? {
    running.compactMap { $0.endIfOverdue(now: now) }.min()
  }
}
