import HTTPTypes
import LupineCore
import Synchronization

/// Moves partial files between file systems, where a rename is not possible.
extension DownloadConsumer {
  /// Refuses an invalid digest; then moves the partial file to the file system of the destination, if the destination
  /// is known before the head.
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

  /// Whether the destination that the head decided is on another file system.
  ///
  /// The partial file is then moved before the rest arrives. The move takes time, and this exchange does not wait for
  /// it.
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

  /// Moves the complete file if only its end has shown that the destination is on another file system; if the move
  /// fails, the file stays and the error is recorded.
  func bringWhole(to place: DownloadDestination.Place) async -> LupineError? {
    guard let error = await move(to: place) else { return nil }
    guard error.kind != .cancelled else { return error }
    state.withLock { $0.moveFailure = error }
    return nil
  }

  /// Copies the partial file into the folder of the destination, and removes the original once the copy is flushed to
  /// the disk.
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
