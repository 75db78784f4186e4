import HTTPTypes
import LupineCore
import Synchronization

/// Files that are to be gone on with on another file system than the one they were begun on, where no renaming leads.
extension DownloadConsumer {
  /// Refuses an invalid digest; then moves what there is of the file to where the rest is to come, as far as that is
  /// known before the head.
  func beginning(_ request: OutgoingRequest) -> (@Sendable () async -> LupineError?)? {
    state.withLock { state in
      if let fault = state.digest?.fault { return { fault } }
      guard state.partial != nil else {
        guard let obstacle = state.obstacle else { return nil }
        do throws(LupineError) { try refuseToRestart(obstacle, state) } catch { return { error } }
        return nil
      }
      let name = state.place?.path.split(separator: "/").last.map { String($0) }
      guard let place = destination.expectedPlace(of: request.url, named: name) else { return nil }
      state.place = place
      guard state.isElsewhere(place) else { return nil }
      return { await self.move(to: place) }
    }
  }

  /// Whether the place that the head has decided lies on another file system, so that what there is of the file is moved
  /// before the rest comes: that takes its time, which this exchange would not wait for.
  func mustMove(_ state: inout DownloadState, from asked: Int64) -> Bool {
    guard !state.attempt.hasMoved, let place = state.place, state.isElsewhere(place) else { return false }
    state.attempt.hasMoved = true
    state.exchange.move = place
    let reason = "what there is goes to the file system of \(place.path) before the rest is asked for again"
    state.exchange.decisions.append(.continued(from: asked, reason: reason))
    return true
  }

  func repeating() -> (@Sendable () async -> LupineError?)? {
    let place = state.withLock { state in
      defer { state.exchange.move = nil }
      return state.exchange.move
    }
    guard let place else { return nil }
    return { await self.move(to: place) }
  }

  /// Moves the whole file where only its end has shown that it lies elsewhere; where that fails it stays, and says so.
  func bringWhole(to place: DownloadDestination.Place) async -> LupineError? {
    guard let error = await move(to: place) else { return nil }
    guard error.kind != .cancelled else { return error }
    state.withLock { $0.moveFailure = error }
    return nil
  }

  /// Copies what there is of the file to beside a place, and removes it where it was once the copy is on its disk.
  private func move(to place: DownloadDestination.Place) async -> LupineError? {
    do throws(LupineError) {
      guard let partial = state.withLock({ $0.partial }) else { return nil }
      try Folder.make(for: place)
      let copy = try await partial.copied(beside: place.path)
      try state.withLock { (state) throws(LupineError) in
        state.partial = copy
        state.isNoted = false
        do throws(LupineError) {
          try state.note()
        } catch {
          state.partial = partial
          copy.remove()
          throw error
        }
      }
      partial.remove()
      return nil
    } catch {
      return error
    }
  }
}
