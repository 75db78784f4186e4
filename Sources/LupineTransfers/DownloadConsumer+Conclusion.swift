import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession

/// Moves the complete file to its destination at the end of the request, or keeps what can be resumed.
extension DownloadConsumer {
  func conclude(_ outcome: RequestOutcome) async -> RequestOutcome {
    let concluded = try? await change { [self] (state) throws(LupineError) in conclude(outcome, &state) }
    return concluded ?? outcome
  }

  private func conclude(_ outcome: RequestOutcome, _ state: inout DownloadState) -> RequestOutcome {
    var outcome = outcome
    // A request that ends before it begins keeps its partial file and its checkpoint as well.
    state.takeCheckpoint()
    let isWhole = state.exchange.isInFile && outcome.response.map { (200..<300).contains($0.head.status.code) } ?? false
    if isWhole { state.total = state.partial?.length }
    if let error = outcome.error {
      if !isWhole { state.takeBackUnverified() }
      if error.kind == .serverNotAuthenticated { state.dropPrevious() }
      outcome.error = isRefused(error.kind, isWhole) ? remove(error, &state) : keepOrRemove(error, &state)
    } else if let head = outcome.response?.head, !Self.isFile(head), state.partial == nil, state.previous == nil {
      // There is nothing to write; serializers may accept that, but a task that returns the file throws an error.
      state.removeCheckpoint()
    } else {
      do throws(LupineError) { state.file = try commit(&state) } catch { outcome.error = error }
    }
    state.partial = nil
    state.previous = nil
    return outcome
  }

  /// Whether the partial file cannot be used: it is complete and was refused, or the server is not authenticated.
  private func isRefused(_ kind: LupineError.Kind, _ isWhole: Bool) -> Bool {
    switch kind {
    case .serverNotAuthenticated: true
    case .cancelled, .timedOut(.total): false
    default: isWhole
    }
  }

  static let nothingToWrite = LupineError(.fileFailed, "The response has no body to write to a file.")

  private func commit(_ state: inout DownloadState) throws(LupineError) -> URL {
    guard let partial = state.partial, state.exchange.isInFile else {
      if state.partial == nil, state.previous == nil { state.removeCheckpoint() }
      // The bytes of an earlier exchange are not part of this response, and can still be continued.
      throw keepOrRemove(Self.nothingToWrite, &state)
    }
    state.dropPrevious()
    do throws(LupineError) {
      if let failure = state.moveFailure { throw failure }
      if let place = state.place {
        try partial.move(to: place.path, replacing: place.options.contains(.removePreviousFile))
      } else {
        try partial.keep()
      }
    } catch {
      // The file is complete; only the rename failed.
      try? partial.keep()
      throw error.appending("The complete file is \(partial.path).")
        .resumable(with: state.resumeState(offset: partial.length)?.encoded())
    }
    state.removeCheckpoint()
    return URL(filePath: state.place?.path ?? partial.path)
  }

  /// Keeps a partial file that can be continued and adds resume data to the error; otherwise removes the file.
  private func keepOrRemove(_ error: LupineError, _ state: inout DownloadState) -> LupineError {
    guard state.partial != nil || state.previous != nil else { return error }
    guard let partial = state.partial, partial.length > 0, state.validator != nil else { return remove(error, &state) }
    state.dropPrevious()
    return kept(error, state) ?? remove(error, &state)
  }

  /// Removes what has arrived and restores the file that was put aside.
  private func remove(_ error: LupineError, _ state: inout DownloadState) -> LupineError {
    if state.takeUpPrevious(), let kept = kept(error, state) { return kept }
    state.partial?.remove()
    state.removeCheckpoint()
    return error
  }

  private func kept(_ error: LupineError, _ state: DownloadState) -> LupineError? {
    guard let partial = state.partial, state.isResumable else { return nil }
    // If the name cannot be changed, the file can be resumed only until a later download removes it as an orphan.
    try? partial.keep()
    guard let resume = state.resumeState(offset: partial.length) else { return nil }
    return error.resumable(with: resume.encoded())
  }
}
