import HTTPTypes
import LupineCore
import Synchronization

/// Moves partial files between file systems, where a rename is not possible.
extension DownloadConsumer {
  /// Reads the checkpoint and refuses an invalid digest; then moves the partial file to the file system of the
  /// destination, if the destination is known before the head.
  func begin(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    let place = try await change { [self] (state) throws(LupineError) -> DownloadDestination.Place? in
      state.takeCheckpoint()
      if let fault = state.settings.digest?.fault { throw fault }
      guard state.partial != nil else {
        if let obstacle = state.obstacle { try refuseToRestart(obstacle, state) }
        return nil
      }
      let name = state.place?.path.split(separator: "/").last.map { String($0) }
      guard let place = destination.expectedPlace(of: request.url, named: name) else { return nil }
      state.place = place
      return state.isElsewhere(place) ? place : nil
    }
    if let place { try await move(to: place) }
    return request
  }

  /// Returns the place that the head decided if it is on another file system.
  ///
  /// The partial file is then moved before the rest arrives. The move takes time, and this exchange does not wait for
  /// it.
  func placeToMoveTo(_ state: inout DownloadState, from asked: Int64) -> DownloadDestination.Place? {
    guard !state.attempt.hasMoved, let place = state.place, state.isElsewhere(place) else { return nil }
    state.attempt.hasMoved = true
    let reason = "the partial file is moved to the file system of \(place.path) before the rest is requested again"
    state.exchange.decisions.append(.continued(from: asked, reason: reason))
    return place
  }

  /// Moves the complete file if the file system of the destination differs and is known only now; if the move fails,
  /// the file stays and the error is recorded.
  func bringWhole(to place: DownloadDestination.Place) async throws(LupineError) {
    do throws(LupineError) {
      try await move(to: place)
    } catch {
      guard error.kind != .cancelled else { throw error }
      set { $0.moveFailure = error }
    }
  }

  /// Copies the partial file into the folder of the destination, and removes the original once the copy is flushed to
  /// the disk.
  func move(to place: DownloadDestination.Place) async throws(LupineError) {
    let partial = try await change { (state) throws(LupineError) -> PartialFile? in
      if state.partial != nil {
        try Folder.make(for: place.path, creatingFolders: place.options.contains(.createIntermediateDirectories))
      }
      return state.partial
    }
    guard let partial else { return }
    let copy = try await partial.copied(beside: place.path)
    try await change { (state) throws(LupineError) in
      state.partial = copy
      state.isNoted = false
      do throws(LupineError) {
        try state.note()
      } catch {
        state.partial = partial
        copy.remove()
        throw error
      }
      partial.remove()
    }
  }
}
