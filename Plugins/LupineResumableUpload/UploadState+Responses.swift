import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The responses to the requests.
extension UploadState {
  /// Returns the step after a final response.
  ///
  /// - Parameter problemOffset: the offset in a problem description of the response, if it has one.
  mutating func receive(_ head: HTTPResponse, problemOffset: Int64? = nil, now: Date) -> Step {
    if let fault { return .fail(fault) }
    noteLimits(head, now: now)
    let next = step(after: head, problemOffset, now)
    if case .finish = next, head.status.kind == .successful { complete() }
    return next
  }

  private mutating func step(after head: HTTPResponse, _ problemOffset: Int64?, _ now: Date) -> Step {
    switch action {
    case .discover: discovered(head, now)
    case .create(.whole): created(head)
    case .create(.empty): createdEmpty(head)
    case .query: answered(head)
    case .append(let part): appended(part, head, problemOffset)
    case nil: .finish
    }
  }

  private mutating func discovered(_ head: HTTPResponse, _ now: Date) -> Step {
    if head.status.kind == .serverError, head.status != .notImplemented { return .finish }
    let abilities = TusAbilities(head)
    if location == nil, !abilities.mayHave("creation") {
      return .fail(.uploadEnded("The server of tus creates no uploads: its Tus-Extension lacks creation."))
    }
    guard abilities.checksum != nil else {
      return .fail(
        .uploadEnded("The server of tus checks neither SHA-256 nor SHA-1; leave out the digest."))
    }
    self.abilities = abilities
    return start(now: now)
  }

  private mutating func created(_ head: HTTPResponse) -> Step {
    let status = head.status
    if status == .contentTooLarge { return refusedAsTooLarge(head, size: length) }
    guard status.kind == .successful else { return .finish }
    if head.uploadIsComplete == false {
      if let error = noteLocation(head) { return .fail(error) }
      guard location != nil else { return .fail(unsupported) }
      return send(.query)
    }
    // Without a location the server may have answered any request early, as HTTP allows.
    return location == nil || isSentWhole ? .finish : .fail(early)
  }

  private mutating func createdEmpty(_ head: HTTPResponse) -> Step {
    guard head.status.kind == .successful else { return .finish }
    if head.uploadIsComplete == true { return .fail(early) }
    if let error = noteLocation(head) { return .fail(error) }
    guard location != nil else { return .fail(unsupported) }
    if dialect == .tus, length == 0 { return .finish }
    if let error = acknowledge(head.uploadOffset ?? 0) { return .fail(error) }
    return append()
  }

  private mutating func answered(_ head: HTTPResponse) -> Step {
    if head.status == .notFound || head.status == .gone { return gone("does not exist any more") }
    if head.status.kind == .redirection { return .fail(redirected(head)) }
    guard head.status.kind == .successful else { return .finish }
    guard let offset = head.uploadOffset else {
      return .fail(.uploadEnded("The server did not state the offset of the upload as one number."))
    }
    if let length, let stated = head.uploadLength, stated != length {
      return .fail(.uploadEnded("The upload has \(length) bytes, and the server expects \(stated)."))
    }
    if let error = acknowledge(offset) { return .fail(error) }
    let isComplete = dialect == .tus ? offset == length : head.uploadIsComplete == true
    guard isComplete else { return append() }
    return offset == length ?? offset ? .finish : .fail(early)
  }

  private mutating func appended(_ part: UploadPart, _ head: HTTPResponse, _ problemOffset: Int64?) -> Step {
    if head.uploadIsComplete == true { return part.isLast && isSentWhole ? .finish : .fail(early) }
    switch head.status.code {
    case 404, 410: return gone("does not exist any more")
    case 409: return conflict(at: head.uploadOffset ?? problemOffset)
    case 413: return refusedAsTooLarge(head, size: part.count)
    // The checksum of tus differs.
    case 460 where dialect == .tus: return fruitless { $0.send(.query) }
    case 300..<400: return .fail(redirected(head))
    case 200..<300: break
    default: return .finish
    }
    guard isSentWhole else { return .fail(early) }
    if dialect != .tus, part.isLast {
      return head.uploadIsComplete == nil ? .finish : fruitless { $0.send(.query) }
    }
    let former = acknowledged
    if let error = acknowledge(head.uploadOffset ?? part.end ?? acknowledged) { return .fail(error) }
    if dialect == .tus, part.isLast, acknowledged == length { return .finish }
    return acknowledged > former ? append() : fruitless { $0.append() }
  }

  /// The step after the server has stated another offset than the append's.
  private mutating func conflict(at offset: Int64?) -> Step {
    guard let offset else { return fruitless { $0.send(.query) } }
    if let error = acknowledge(offset) { return .fail(error) }
    return fruitless { $0.append() }
  }

  /// Counts a request without progress before the next step.
  private mutating func fruitless(_ next: (inout UploadState) -> Step) -> Step {
    fruitless += 1
    guard fruitless < Self.fruitlessLimit else {
      return .fail(
        .uploadEnded("The server has acknowledged no more than \(acknowledged) bytes in \(fruitless) requests."))
    }
    return next(&self)
  }

  /// Sends smaller parts, once, if the server supports parts.
  private mutating func refusedAsTooLarge(_ head: HTTPResponse, size: Int64?) -> Step {
    let isSupported = location != nil || UploadLimits(head, dialect) != nil
    guard isSupported, smallerSize == nil, let size, size > 1 else { return .finish }
    let stated = limits.maximumAppendSize ?? .max
    smallerSize = max(stated < size ? stated : size / 2, limits.minimumAppendSize ?? 1)
    if location != nil { return send(.query) }
    createsCarefully = true
    return create()
  }

  private var unsupported: LupineError {
    let reason = locationFault ?? "It named no location of the upload."
    return .uploadEnded("The server does not support resumable uploads as this request needs them. \(reason)")
  }

  private var early: LupineError {
    .uploadEnded(
      "The server states that the upload is complete, but it cannot have all of its "
        + (length.map { "\($0) bytes." } ?? "bytes."))
  }

  private func redirected(_ head: HTTPResponse) -> LupineError {
    .uploadEnded(
      "The server redirects the upload with status \(head.status.code), and only 307 and 308 with a location are "
        + "followed.")
  }
}
