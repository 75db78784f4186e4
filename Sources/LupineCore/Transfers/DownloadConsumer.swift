import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// Writes a response to a file beside its destination, continues where an attempt broke off, and moves the file at the end.
final class DownloadConsumer: ResponseConsumer {
  private struct State {
    var partial: PartialFile?
    var validator: EntityValidator?
    var offset: Int64 = 0
    var total: Int64?
    var place: DownloadDestination.Place?
    var asked: Int64?
    var mustRestart = false
    var url: HTTPURL?
  }

  private let destination: DownloadDestination
  private let policy: ResumePolicy
  private let state: Mutex<State>

  init(destination: DownloadDestination, resume: ResumeState?, policy: ResumePolicy) {
    self.destination = destination
    self.policy = policy
    var state = State()
    if let resume, let partial = PartialFile.reopen(resume.partialPath, length: resume.offset) {
      state.partial = partial
      state.validator = resume.validator
      state.offset = resume.offset
      state.total = resume.total
    }
    self.state = Mutex(state)
  }

  /// Asks for the rest of a file where there is a beginning; ranges and codings do not mix, so none is accepted.
  func prepare(_ request: OutgoingRequest) -> OutgoingRequest {
    var request = request
    if request.headers[.acceptEncoding] == nil { request.headers[.acceptEncoding] = "identity" }
    state.withLock { state in
      state.asked = nil
      guard let partial = state.partial, let validator = state.validator, request.method == .get else { return }
      state.offset = partial.length
      guard state.offset > 0, request.headers[.range] == nil else { return }
      state.asked = state.offset
      request.headers[.range] = "bytes=\(state.offset)-"
      request.headers[.ifRange] = validator.value
    }
    return request
  }

  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination {
    try state.withLock { (state) throws(LupineError) in
      if head.status.code == 416 || head.status.code == 206, let asked = state.asked {
        guard continues(head, from: asked, state) else {
          try giveUp("the server answered with another part of the file, or with another file", &state)
          return .discard(limit: limits.discardedBody)
        }
        return .file(descriptor: try file(&state, head, request).descriptor, offset: asked, limit: nil)
      }
      guard (200..<300).contains(head.status.code) else { return .collect(limit: limits.responseBody) }
      if state.asked != nil { try refuseToRestart("the server sent the file from its beginning", state) }
      return .file(descriptor: try freshFile(&state, head, request).descriptor, offset: 0, limit: nil)
    }
  }

  func following(_ request: OutgoingRequest) -> OutgoingRequest? {
    let mustRestart = state.withLock { state in
      defer { state.mustRestart = false }
      return state.mustRestart
    }
    guard mustRestart else { return nil }
    var request = request
    request.headers[.range] = nil
    request.headers[.ifRange] = nil
    return request
  }

  func hasBody(_ response: ReceivedResponse) -> Bool? { response.metrics.bytesReceived > 0 }

  func conclude(_ outcome: Outcome) -> Outcome {
    var outcome = outcome
    if outcome.error == nil, let response = outcome.response, !(200..<300).contains(response.head.status.code) {
      outcome.error = LupineError(
        .unacceptableStatusCode(response.head.status.code),
        "The server answered with status \(response.head.status.code) in the place of a file."
      )
      .about(response.request.summary).about(response.head).measured(response.metrics)
    }
    return state.withLock { state in
      if let error = outcome.error {
        outcome.error = keepOrRemove(error, &state)
      } else {
        do throws(LupineError) { outcome.file = try commit(&state) } catch { outcome.error = error }
      }
      state.partial = nil
      return outcome
    }
  }

  /// Bytes that were there before the current exchange, and the length of the whole.
  func extent(of head: HTTPResponse) -> (base: Int64, total: Int64?) {
    let length = head.headerFields[.contentLength].flatMap { Int64($0) }
    let base = head.status.code == 206 ? state.withLock { $0.asked ?? 0 } : 0
    return (base, length.map { base + $0 })
  }
}

extension DownloadConsumer {
  private func continues(_ head: HTTPResponse, from asked: Int64, _ state: State) -> Bool {
    guard head.status.code == 206, let text = head.headerFields[.contentRange], let range = ContentRange(text),
      range.range?.lowerBound == asked, state.validator?.agrees(with: head) ?? false,
      head.headerFields[.contentEncoding] == nil
    else { return false }
    return state.total == nil || range.total == nil || state.total == range.total
  }

  private func giveUp(_ reason: String, _ state: inout State) throws(LupineError) {
    try refuseToRestart(reason, state)
    try state.partial?.truncate(to: 0)
    state.validator = nil
    state.total = nil
    state.mustRestart = true
  }

  private func refuseToRestart(_ reason: String, _ state: State) throws(LupineError) {
    guard policy == .fail else { return }
    throw LupineError(.resumeFailed, "The download cannot be continued: \(reason).")
  }

  private func freshFile(
    _ state: inout State, _ head: HTTPResponse, _ request: OutgoingRequest
  ) throws(LupineError) -> PartialFile {
    let file = try file(&state, head, request)
    try file.truncate(to: 0)
    state.validator = request.method == .get && head.status.code == 200 ? EntityValidator(head) : nil
    state.total = head.headerFields[.contentLength].flatMap { Int64($0) }
    return file
  }

  private func file(
    _ state: inout State, _ head: HTTPResponse, _ request: OutgoingRequest
  ) throws(LupineError) -> PartialFile {
    state.url = request.url
    let place = try destination.place(for: head, of: request.url)
    state.place = place
    if let place {
      try Folder.prepare(for: place)
    }
    if let partial = state.partial { return partial }
    let made = try PartialFile.create(beside: place?.path)
    state.partial = made
    return made
  }

  private func commit(_ state: inout State) throws(LupineError) -> URL {
    guard let partial = state.partial else {
      throw LupineError(.fileFailed, "The response brought nothing to write.")
    }
    guard let place = state.place else { return URL(filePath: partial.path) }
    do throws(LupineError) {
      try partial.move(to: place.path, replacing: place.options.contains(.removePreviousFile))
    } catch {
      partial.remove()
      throw error
    }
    return URL(filePath: place.path)
  }

  /// Keeps the beginning where it can be continued, and says so in the error; otherwise removes it.
  private func keepOrRemove(_ error: LupineError, _ state: inout State) -> LupineError {
    guard let partial = state.partial else { return error }
    guard let validator = state.validator, let url = state.url, partial.length > 0 else {
      partial.remove()
      return error
    }
    let resume = ResumeState(
      url: url.string, partialPath: partial.path, offset: partial.length, total: state.total, validator: validator,
      path: state.place?.path, options: state.place?.options ?? [])
    return error.resumable(with: resume.encoded())
  }
}

/// The folders on the way to a download's destination.
enum Folder {
  static func prepare(for place: DownloadDestination.Place) throws(LupineError) {
    if place.options.contains(.createIntermediateDirectories) { try create(above: place.path) }
    guard !place.options.contains(.removePreviousFile), access(place.path, F_OK) == 0 else { return }
    throw LupineError(
      .fileFailed, "There is a file at \(place.path) already; add .removePreviousFile where it is to be replaced.")
  }

  private static func create(above path: String) throws(LupineError) {
    var folder = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if mkdir(folder, 0o777) != 0, errno != EEXIST { throw PartialFile.Failure.error("cannot be created", folder) }
    }
  }
}
