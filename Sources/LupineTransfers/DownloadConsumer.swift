import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import Synchronization

/// Writes a response to a file beside its destination, resumes it after an interruption, and moves the file at the end.
final class DownloadConsumer: ResponseHandler {
  let destination: DownloadDestination
  let state = Mutex(DownloadState())

  init(destination: DownloadDestination, resume: ResumeState?, policy: ResumePolicy) {
    self.destination = destination
    state.withLock { state in
      state.policy = policy
      if let resume { state.take(resume) }
    }
  }

  /// The current length of the partial file in bytes.
  var length: Int64 { state.withLock { $0.partial?.length ?? 0 } }

  /// Requests the rest of the file if there is a partial file; accepts no content coding, because ranges apply to the
  /// encoded form.
  func prepare(_ request: OutgoingRequest, secrets: SecretFields) -> OutgoingRequest {
    var request = request
    if request.headers[.acceptEncoding] == nil { request.headers[.acceptEncoding] = "identity" }
    state.withLock { state in
      if let url = state.freshURL { request = request.moved(to: url, secrets: secrets) }
      state.attempt = DownloadState.Attempt()
      state.exchange = DownloadState.Exchange()
      guard let partial = state.partial, let validator = state.validator, request.method == .get else { return }
      let length = partial.length
      guard length > 0, request.headers[.range] == nil else { return }
      // For a complete file, only its last byte is requested, to check that the server's file is still the same.
      let asked = length == state.total ? length - 1 : length
      state.attempt.asked = asked
      request.headers[.range] = "bytes=\(asked)-"
      request.headers[.ifRange] = validator.value
    }
    return request
  }

  func destination(
    for head: HTTPResponse, to request: OutgoingRequest, limits: Limits
  ) throws(LupineError) -> BodySink.Destination {
    try state.withLock { (state) throws(LupineError) in
      state.exchange = DownloadState.Exchange()
      state.exchange.errorBodyLimit = limits.errorBody
      if head.status.code == 206, state.attempt.asked == nil, request.headers[.range] == nil {
        throw LupineError(.malformedResponse, "The server sent a part of the file, where all of it was asked for.")
      }
      if head.status.code == 416 || head.status.code == 206, let asked = state.attempt.asked {
        guard continues(head, from: asked, state) else {
          try giveUp("the server answered with another part of the file, or with another file", &state)
          return .discard(limit: limits.discardedBody)
        }
        try checkLength(of: head, to: request, after: asked, state)
        try decidePlace(&state, head, request)
        let file = try file(&state)
        guard !mustMove(&state, from: asked) else { return .discard(limit: limits.discardedBody) }
        state.exchange.decisions.append(.continued(from: asked, reason: "the server has the same file"))
        state.exchange.expected = state.total ?? head.contentRange?.total
        let left = state.sizeLimit.map { max(0, $0 - asked) }
        try state.note()
        state.exchange.isInFile = true
        return .file(descriptor: file.descriptor, offset: asked, limit: left)
      }
      guard Self.isFile(head) else { return .collect(limit: min(limits.responseBody, limits.discardedBody)) }
      let reason = "the server sent the file from its beginning"
      // This also applies without a validator, when no range was requested.
      if let partial = state.partial, partial.length > 0 { try refuseToRestart(reason, state) }
      let file = try freshFile(&state, head, request)
      let cause = state.obstacle ?? (state.attempt.asked == nil ? nil : reason)
      if let cause { state.exchange.decisions.append(.continued(from: nil, reason: cause)) }
      state.obstacle = nil
      state.exchange.isInFile = true
      return .file(descriptor: file.descriptor, offset: 0, limit: state.sizeLimit)
    }
  }

  /// Whether the response carries a file; 204 and 205 do not (RFC 9110 sections 15.3.5 and 15.3.6).
  static func isFile(_ head: HTTPResponse) -> Bool {
    (200..<300).contains(head.status.code) && head.status.code != 204 && head.status.code != 205
  }

  func canSpareBody(of head: HTTPResponse) -> Bool { !Self.isFile(head) }

  func spared(_ beginning: Data) { state.withLock { $0.exchange.page = beginning } }

  func takeDecisions() -> [SessionEvent.Kind] {
    state.withLock { state in
      defer { state.exchange.decisions = [] }
      return state.exchange.decisions
    }
  }

  func isBypassed() { state.withLock { $0.exchange.isInFile = false } }

  func isUnwanted() {
    state.withLock { state in
      guard state.exchange.isInFile else { return }
      state.exchange.isInFile = false
      state.takeBack()
    }
  }

  var mayLeadOn: Bool { true }

  func following(_ request: OutgoingRequest) -> OutgoingRequest? {
    let mustRestart = state.withLock { state in
      defer { state.attempt.mustRestart = false }
      if state.attempt.mustRestart { state.attempt.asked = nil }
      return state.attempt.mustRestart
    }
    guard mustRestart else { return nil }
    var request = request
    request.headers[.range] = nil
    request.headers[.ifRange] = nil
    return request
  }

  /// Asks the program for another URL if the server refuses this one; once in each attempt.
  func refreshing(after head: HTTPResponse) -> (@Sendable () async throws -> any URLConvertible)? {
    guard [401, 403, 404, 410].contains(head.status.code) else { return nil }
    return state.withLock { state in
      guard let refresh = state.refresh, !state.attempt.hasRefreshed else { return nil }
      state.attempt.hasRefreshed = true
      return { try await refresh(head) }
    }
  }

  func refreshed(_ url: HTTPURL) { state.withLock { $0.freshURL = url } }

  func hasBody(_ response: ReceivedResponse) -> Bool? {
    if response.metrics.bytesReceived > 0 || response.hasData { return true }
    // A body that an interceptor made did not come from the network.
    return state.withLock { $0.exchange.isInFile && ($0.partial?.length ?? 0) > 0 }
  }

  func check(_ outcome: Outcome) -> (@Sendable () async -> LupineError?)? {
    let (digest, partial, expected, place) = state.withLock {
      ($0.digest, $0.exchange.isInFile ? $0.partial : nil, $0.exchange.expected, $0.place)
    }
    guard outcome.error == nil, let head = outcome.response?.head, Self.isFile(head), let partial else { return nil }
    return {
      do throws(LupineError) {
        if let expected, partial.length != expected {
          throw LupineError(
            .malformedResponse, "The file has \(partial.length) bytes now, where the server said \(expected).")
        }
        try await digest?.check(partial)
        guard let place else { return nil }
        guard !self.state.withLock({ $0.isElsewhere(place) }) else { return await self.bringWhole(to: place) }
        try await partial.synchronize()
        return nil
      } catch {
        return error
      }
    }
  }

  /// The number of bytes that the file had before the current exchange.
  func base(of head: HTTPResponse) -> Int64 {
    head.status.code == 206 ? state.withLock { $0.attempt.asked ?? 0 } : 0
  }
}
