import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import Synchronization

/// Writes a response to a file beside its destination, resumes it after an interruption, and moves the file at the end.
///
/// The pipeline calls the methods of `ResponseHandler` one after another, so that one of them at a time changes the
/// state. While it waits for the disk, it works on a copy, and the lock is free.
final class DownloadConsumer: ResponseHandler {
  let destination: DownloadDestination
  private let state = Mutex(DownloadState())

  init(destination: DownloadDestination, resume: ResumeState?, policy: ResumePolicy) {
    self.destination = destination
    state.withLock { state in
      state.settings.policy = policy
      state.resume = resume
    }
  }

  /// Changes the state without the disk.
  ///
  /// After the request has begun, only between two calls of `change`, except for the settings.
  func set(_ change: (inout DownloadState) -> Void) { state.withLock { change(&$0) } }

  /// Changes the state on a thread that may wait for the disk.
  func change<Value: Sendable>(
    _ change: @escaping @Sendable (inout DownloadState) throws(LupineError) -> Value
  ) async throws(LupineError) -> Value {
    try await BlockingWork.run { [self] () throws(LupineError) -> Value in
      var changed = state.withLock { $0 }
      defer {
        state.withLock { state in
          changed.settings = state.settings
          state = changed
        }
      }
      return try change(&changed)
    }
  }

  /// The downloaded file, once the request has ended; `nil` if there is none.
  var file: URL? { state.withLock { $0.file } }

  /// The partial file with the body of the last response, before it is moved; `nil` if there is none.
  var completePartial: PartialFile? { state.withLock { $0.exchange.isInFile ? $0.partial : nil } }

  /// The current length of the partial file in bytes.
  var length: Int64 {
    get async { await BlockingWork.run { [self] in state.withLock { $0.partial }?.length ?? 0 } }
  }

  /// `true`: a download continues from its partial file.
  var keepsPartialBody: Bool { true }

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
      let name = state.place.map { String(Folder.split($0.path).name) }
      guard let place = destination.expectedPlace(of: request.url, named: name) else { return nil }
      state.place = place
      return state.isElsewhere(place) ? place : nil
    }
    if let place { try await move(to: place) }
    return request
  }

  /// Requests the rest of the file if there is a partial file; accepts no content coding, because ranges apply to the
  /// encoded form.
  func prepare(_ request: OutgoingRequest, in session: Session) async -> OutgoingRequest {
    if state.withLock({ $0.exchange.isUnverified }) {
      try? await change { (state) throws(LupineError) in state.takeBackUnverified() }
    }
    let length = await length
    var request = request
    if request.headers[.acceptEncoding] == nil { request.headers[.acceptEncoding] = "identity" }
    state.withLock { state in
      if let url = state.freshURL { request = request.moved(to: url, secrets: session.secretFields) }
      state.attempt = DownloadState.Attempt()
      state.exchange = DownloadState.Exchange()
      guard let validator = state.validator, request.method == .get else { return }
      guard length > 0, request.headers[.range] == nil else { return }
      // For a complete file, only its last byte is requested, to check that the server's file is still the same.
      let asked = length == state.total ? length - 1 : length
      state.attempt.asked = asked
      request.headers[.range] = "bytes=\(asked)-"
      request.headers[.ifRange] = validator.value
    }
    return request
  }

  /// Returns the closure that replaces a refused URL, once in each attempt; `nil` if there is none to call.
  func refreshing(
    after head: HTTPResponse
  ) -> (@Sendable () async throws -> any URLConvertible)? {
    guard [401, 403, 404, 410].contains(head.status.code) else { return nil }
    return state.withLock { state in
      guard let refresh = state.settings.refresh, !state.attempt.hasRefreshed else { return nil }
      state.attempt.hasRefreshed = true
      return { try await refresh(head) }
    }
  }

  /// Returns the request with the URL that the program supplies to replace an expired one.
  func refreshed(
    _ request: OutgoingRequest, in session: Session,
    by refresh: @Sendable () async throws -> any URLConvertible
  ) async throws(LupineError) -> OutgoingRequest {
    do {
      let url = try await refresh().asURL(relativeTo: session.baseURL)
      state.withLock { $0.freshURL = url }
      return request.moved(to: url, secrets: session.secretFields)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "The closure that gives a fresh URL threw: \(error).", underlying: error)
    }
  }

  func dropResponse(keeping limit: Int64) async -> Data? {
    let beginning = try? await change { (state) throws(LupineError) -> Data? in
      guard state.exchange.isInFile else { return nil }
      let beginning = state.partial?.bytes(from: state.attempt.asked ?? 0, limit: limit)
      state.exchange.isInFile = false
      state.takeBack()
      return beginning
    }
    return beginning ?? nil
  }

  /// The error for a response whose status is not a success.
  private func noFile(_ response: ReceivedResponse) -> LupineError {
    let status = response.head.status.code
    return LupineError(
      .unacceptableStatusCode(status), "The server answered with status \(status) instead of a file."
    )
    .about(response.request.summary).about(response.head).measured(response.metrics)
    .carrying(response.beginning, limit: state.withLock { $0.exchange.errorBodyLimit })
  }

  func check(_ response: ReceivedResponse) async throws(LupineError) {
    let (digest, partial, expected, place) = state.withLock {
      ($0.settings.digest, $0.exchange.isInFile ? $0.partial : nil, $0.exchange.expected, $0.place)
    }
    guard (200..<300).contains(response.head.status.code) else { throw noFile(response) }
    guard Self.isFile(response.head), let partial else { return }
    let (length, isElsewhere) = try await change { (state) throws(LupineError) in
      (partial.length, place.map { state.isElsewhere($0) } ?? false)
    }
    if let expected, length != expected {
      throw LupineError(
        .malformedResponse, "The file has \(length) bytes, but the server announced \(expected).")
    }
    try await digest?.check(partial)
    guard let place else { return }
    if isElsewhere { try await bringWhole(to: place) } else { try await partial.synchronize() }
  }
}

/// Moves partial files between file systems, where a rename is not possible.
extension DownloadConsumer {
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
