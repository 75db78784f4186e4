import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import Synchronization

extension DownloadConsumer {
  func conclude(_ outcome: RequestOutcome) async -> RequestOutcome {
    let concluded = try? await change { [self] (state) throws(LupineError) in conclude(outcome, &state) }
    return concluded ?? outcome
  }

  private func conclude(_ outcome: RequestOutcome, _ state: inout DownloadState) -> RequestOutcome {
    var outcome = outcome
    // A request that ends before it begins keeps its partial file and its checkpoint as well.
    state.takeCheckpoint()
    let isGood = outcome.response.map { (200..<300).contains($0.head.status.code) } ?? false
    if outcome.error == nil, let response = outcome.response, !isGood { outcome.error = noFile(response, state) }
    let isWhole = isGood && state.exchange.isInFile
    if isWhole { state.total = state.partial?.length }
    if let error = outcome.error {
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

  private func noFile(_ response: ReceivedResponse, _ state: DownloadState) -> LupineError {
    let status = response.head.status.code
    let limit = state.exchange.errorBodyLimit
    let written = state.exchange.isInFile ? state.partial?.bytes(from: state.attempt.asked ?? 0, limit: limit) : nil
    return LupineError(
      .unacceptableStatusCode(status), "The server answered with status \(status) instead of a file."
    )
    .about(response.request.summary).about(response.head).measured(response.metrics)
    .carrying(written ?? response.beginning, limit: limit)
  }

  /// Whether the partial file cannot be used: it is complete and was refused, or the server is not authenticated.
  private func isRefused(_ kind: LupineError.Kind, _ isWhole: Bool) -> Bool {
    switch kind {
    case .serverNotAuthenticated: true
    case .cancelled, .timedOut(.total): false
    default: isWhole
    }
  }

  /// Whether the response is the rest of the file, up to its end.
  func continues(_ head: HTTPResponse, from asked: Int64, _ state: DownloadState) -> Bool {
    guard head.status.code == 206, let content = head.contentRange,
      content.range.lowerBound == asked, state.validator?.agrees(with: head) ?? false,
      head.headerFields[.contentEncoding] == nil
    else { return false }
    if let length = head.headerFields[.contentLength], Int64(length) != Int64(content.range.count) { return false }
    // Without the total length, the rest of the file cannot be distinguished from a part of the rest.
    guard let total = state.total ?? content.total else { return false }
    // A server may send less than the requested range; the missing part is not requested separately.
    return (content.total ?? total) == total && content.range.upperBound == total
  }

  func giveUp(_ reason: String, _ state: inout DownloadState) throws(LupineError) {
    try refuseToRestart(reason, state)
    state.putAside()
    state.exchange.decisions.append(.continued(from: nil, reason: reason))
  }

  func refuseToRestart(_ reason: String, _ state: DownloadState) throws(LupineError) {
    guard state.settings.policy == .fail else { return }
    throw LupineError(.resumeFailed, "The download cannot be continued: \(reason).")
  }

  /// Refuses a file that exceeds the size limit according to its head, before the body arrives.
  ///
  /// The length of an encoded body does not limit the length of the file.
  func checkLength(of head: HTTPResponse, to request: OutgoingRequest, after there: Int64, _ state: DownloadState)
    throws(LupineError)
  {
    guard let limit = state.settings.sizeLimit, request.method != .head, head.headerFields[.contentEncoding] == nil,
      let length = head.headerFields[.contentLength].flatMap({ Int64($0) }), length > limit - min(limit, there)
    else { return }
    let size = there > 0 ? "\(length) bytes in addition to the \(there) present" : "\(length) bytes"
    throw LupineError(
      .limitExceeded(.sink), "The file would have \(size); its `sizeLimit` is \(limit) bytes.")
  }

  func freshFile(
    _ state: inout DownloadState, _ head: HTTPResponse, _ request: OutgoingRequest
  ) throws(LupineError) -> PartialFile {
    try checkLength(of: head, to: request, after: 0, state)
    try decidePlace(&state, head, request)
    // If the destination is on another file system, the old file is not moved, because its content is not needed.
    let isElsewhere = state.place.map { state.isElsewhere($0) } ?? false
    if isElsewhere || (state.partial?.length ?? 0) > 0 { state.putAside() }
    let file = try file(&state)
    state.validator = request.method == .get && head.status.code == 200 ? EntityValidator(head) : nil
    state.total = head.headerFields[.contentLength].flatMap { Int64($0) }
    state.isNoted = false
    try state.note()
    return file
  }

  func decidePlace(
    _ state: inout DownloadState, _ head: HTTPResponse, _ request: OutgoingRequest
  ) throws(LupineError) {
    let place = try destination.place(for: head, of: request.url)
    state.place = place
    if let place {
      try Folder.prepare(
        for: place.path, creatingFolders: place.options.contains(.createIntermediateDirectories),
        replacing: place.options.contains(.removePreviousFile))
    }
  }

  func file(_ state: inout DownloadState) throws(LupineError) -> PartialFile {
    if let partial = state.partial { return partial }
    let made = try PartialFile.create(beside: state.place?.path)
    state.partial = made
    return made
  }

  static let nothingToWrite = LupineError(.fileFailed, "The response has no body to write to a file.")

  private func commit(_ state: inout DownloadState) throws(LupineError) -> URL {
    guard let partial = state.partial, state.exchange.isInFile else {
      if state.partial == nil, state.previous == nil { state.removeCheckpoint() }
      // What an earlier exchange wrote is not part of this response, and can still be continued.
      throw keepOrRemove(Self.nothingToWrite, &state)
    }
    state.dropPrevious()
    if let place = state.place {
      do throws(LupineError) {
        if let failure = state.moveFailure { throw failure }
        try partial.move(to: place.path, replacing: place.options.contains(.removePreviousFile))
      } catch {
        // The file is complete; only the rename failed.
        throw error.appending("The complete file is \(partial.path).")
          .resumable(with: state.resumeState(offset: partial.length)?.encoded())
      }
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
    guard let partial = state.partial, let resume = state.resumeState(offset: partial.length) else { return nil }
    return error.resumable(with: resume.encoded())
  }
}
