import HTTPTypes
import LupineCore
import LupineSession

/// Decides at the head of a response whether its body continues the partial file, begins a file, or is none.
extension DownloadConsumer {
  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in session: Session
  ) async throws(LupineError) -> ResponseDecision {
    let (head, limits) = (response.head, session.limits)
    let decision = try await change { [self] (state) throws(LupineError) in
      state.exchange = DownloadState.Exchange()
      state.exchange.errorBodyLimit = limits.errorBody
      state.exchange.isVerifiedAtEnd = response.attributes[ContentVerification.self] == .atEnd
      var decision = ResponseDecision(try step(after: head, to: request, limits, &state))
      decision.events = exchange(&state.exchange.decisions, with: [])
      decision.acceptsLongBody = !Self.isFile(head)
      return decision
    }
    // A proxy's response does not show that the URL has expired, and another URL would use the same proxy.
    guard response.source == .origin, let refresh = refreshing(after: head) else { return decision }
    return ResponseDecision(
      .send { [self] () async throws(LupineError) in try await refreshed(request, in: session, by: refresh) },
      events: decision.events)
  }

  private func step(
    after head: HTTPResponse, to request: OutgoingRequest, _ limits: Limits, _ state: inout DownloadState
  ) throws(LupineError) -> ResponseDecision.Step {
    if head.status.code == 206, state.attempt.asked == nil, request.headers[.range] == nil {
      throw LupineError(.malformedResponse, "The server sent a part of the file, but all of it was requested.")
    }
    if head.status.code == 416 || head.status.code == 206, let asked = state.attempt.asked {
      return try rest(from: asked, head, request, &state)
    }
    guard Self.isFile(head) else {
      return .receive(.collect(limit: min(limits.responseBody, limits.discardedBody)), offset: 0)
    }
    let known = state.knownLength(of: head)
    if let fault = Self.contradiction(in: head, known) {
      guard state.attempt.asked != nil else {
        throw LupineError(.malformedResponse, "The response contradicts itself: \(fault).")
      }
      return try beginAgain(fault, request, &state)
    }
    let isRestart = (state.partial?.length ?? 0) > 0
    let reason =
      state.attempt.asked == nil
      ? "the rest could not be requested: the first response had no strong validator, or the request is no plain GET"
      : "the server sent the file from its beginning"
    if isRestart { try refuseToRestart(reason, state) }
    let file = try freshFile(&state, head, request)
    let cause = state.obstacle ?? state.otherCheckpoint ?? (isRestart ? reason : nil)
    if let cause { state.exchange.decisions.append(.continued(from: nil, reason: cause)) }
    (state.obstacle, state.otherCheckpoint) = (nil, nil)
    state.exchange.expected = request.method == .head ? nil : known ?? Self.length(ofRangeIn: head)
    state.exchange.isInFile = true
    return .receive(.file(descriptor: file.descriptor, offset: 0, limit: state.settings.sizeLimit), offset: 0)
  }

  /// Decides about a response to the request for the rest of the file.
  private func rest(
    from asked: Int64, _ head: HTTPResponse, _ request: OutgoingRequest, _ state: inout DownloadState
  ) throws(LupineError) -> ResponseDecision.Step {
    guard continues(head, from: asked, state) else {
      return try beginAgain("the server sent another part of the file, or another file", request, &state)
    }
    try checkLength(of: head, to: request, after: asked, state)
    try decidePlace(&state, head, request)
    let file = try file(&state)
    if let place = placeToMoveTo(&state, from: asked) {
      return .send { [self] () async throws(LupineError) in
        try await move(to: place)
        return request
      }
    }
    state.exchange.decisions.append(.continued(from: asked, reason: "the server has the same file"))
    state.exchange.expected = state.total ?? head.contentRange?.total
    let left = state.settings.sizeLimit.map { max(0, $0 - asked) }
    if state.exchange.isVerifiedAtEnd { state.isNoted = false }
    try state.note()
    state.exchange.isInFile = true
    return .receive(.file(descriptor: file.descriptor, offset: asked, limit: left), offset: asked)
  }

  /// Whether the response carries a file; 204 and 205 do not (RFC 9110 sections 15.3.5 and 15.3.6).
  static func isFile(_ head: HTTPResponse) -> Bool {
    (200..<300).contains(head.status.code) && head.status.code != 204 && head.status.code != 205
  }

  /// Whether the response is the rest of the file, up to its end.
  private func continues(_ head: HTTPResponse, from asked: Int64, _ state: DownloadState) -> Bool {
    guard head.status.code == 206, let content = head.contentRange, !head.hasContradictoryRange,
      content.range.lowerBound == asked, state.validator?.agrees(with: head) ?? false,
      head.headerFields[.contentEncoding] == nil
    else { return false }
    // Without the total length, the rest of the file cannot be distinguished from a part of the rest.
    guard let total = content.total, total == state.total ?? total else { return false }
    // A server may send less than the requested range; the missing part is not requested separately.
    return content.range.upperBound == total
  }

  /// Puts the partial file aside and requests the whole file.
  private func beginAgain(
    _ reason: String, _ request: OutgoingRequest, _ state: inout DownloadState
  ) throws(LupineError) -> ResponseDecision.Step {
    try refuseToRestart(reason, state)
    state.putAside()
    state.exchange.decisions.append(.continued(from: nil, reason: reason))
    state.attempt.asked = nil
    var whole = request
    whole.headers[.range] = nil
    whole.headers[.ifRange] = nil
    return .send { [whole] () async throws(LupineError) in whole }
  }

  /// Returns the contradiction in a head that brings a file from its beginning; `nil` if there is none.
  ///
  /// - Parameter known: the length of the file with the validator of this head.
  private static func contradiction(in head: HTTPResponse, _ known: Int64?) -> String? {
    if head.hasContradictoryRange { return "its Content-Range fits neither its status nor its length" }
    let stated = head.headerFields[.contentLength].flatMap { Int64($0) } ?? length(ofRangeIn: head)
    guard let known, let length = stated, length != known else { return nil }
    return "it has \(length) bytes, and the file with the same validator had \(known)"
  }

  /// The length of the body that `Content-Range` states; `nil` if it states none, or for a coded body.
  private static func length(ofRangeIn head: HTTPResponse) -> Int64? {
    guard head.headerFields[.contentEncoding] == nil else { return nil }
    return head.contentRange.map { Int64($0.range.count) }
  }

  func refuseToRestart(_ reason: String, _ state: DownloadState) throws(LupineError) {
    guard state.settings.policy == .fail else { return }
    throw LupineError(.resumeFailed, "The download cannot be continued: \(reason).")
  }

  /// Refuses a file that exceeds the size limit according to its head, before the body arrives.
  ///
  /// The length of an encoded body does not limit the length of the file.
  private func checkLength(
    of head: HTTPResponse, to request: OutgoingRequest, after there: Int64, _ state: DownloadState
  )
    throws(LupineError)
  {
    guard let limit = state.settings.sizeLimit, request.method != .head, head.headerFields[.contentEncoding] == nil,
      let length = head.headerFields[.contentLength].flatMap({ Int64($0) }), length > limit - min(limit, there)
    else { return }
    let size = there > 0 ? "\(length) bytes in addition to the \(there) present" : "\(length) bytes"
    throw LupineError(
      .limitExceeded(.sink), "The file would have \(size); its `sizeLimit` is \(limit) bytes.")
  }

  private func freshFile(
    _ state: inout DownloadState, _ head: HTTPResponse, _ request: OutgoingRequest
  ) throws(LupineError) -> PartialFile {
    try checkLength(of: head, to: request, after: 0, state)
    try decidePlace(&state, head, request)
    // If the destination is on another file system, the old file is not moved, because its content is not needed.
    let isElsewhere = state.place.map { state.isElsewhere($0) } ?? false
    if isElsewhere || (state.partial?.length ?? 0) > 0 { state.putAside() }
    let file = try file(&state)
    let canContinue = request.method == .get && head.status.code == 200 && !state.exchange.isVerifiedAtEnd
    state.validator = canContinue ? EntityValidator(head) : nil
    state.total = head.headerFields[.contentLength].flatMap { Int64($0) }
    state.isNoted = false
    try state.note()
    return file
  }

  private func decidePlace(
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

  private func file(_ state: inout DownloadState) throws(LupineError) -> PartialFile {
    if let partial = state.partial { return partial }
    let made = try PartialFile.create(beside: state.place?.path)
    state.partial = made
    return made
  }
}
