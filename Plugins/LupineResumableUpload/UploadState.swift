import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// A part of an upload that one request appends.
struct UploadPart: Sendable, Hashable {
  /// The offset of its first byte in the upload.
  var offset: Int64
  /// The offset after its last byte; `nil` for all that is left of a body whose length is not known.
  var end: Int64?
  /// Whether the upload is complete with this part.
  var isLast: Bool

  var count: Int64? { end.map { $0 - offset } }
}

/// Decides which request an upload needs next.
///
/// The state sends nothing itself. Its owner calls `begin` for each attempt, sends the request of each step, and passes
/// each response to the state, interim responses included. The state checks everything in them.
struct UploadState: Sendable {
  /// The content of the request that creates the upload.
  enum Content: Sendable, Hashable { case whole, empty }

  /// A request of the upload.
  enum Action: Sendable, Hashable {
    case create(Content)
    /// Asks for the offset.
    case query
    case append(UploadPart)
  }

  enum Step: Sendable {
    case send(Action)
    /// The last response is the response of the upload's attempt.
    case finish
    /// The upload cannot go on, in this attempt or a later one.
    case fail(LupineError)
  }

  /// The number of consecutive requests without progress after which an attempt ends.
  static let fruitlessLimit = 3

  let dialect: UploadDialect
  let creation: UploadCreation
  /// The length in bytes; `nil` if it is not known.
  let length: Int64?
  /// Whether an upload that the server no longer has begins again.
  let restarts: Bool
  /// The URL of the request that creates the upload.
  let target: HTTPURL
  /// Whether an upload may be at another origin than the target, where it receives the secrets of the request.
  let admits: @Sendable (HTTPURL) -> Bool

  /// The URL of the upload at the server; `nil` if the server has named none.
  var location: HTTPURL?
  /// The number of bytes that the server has acknowledged.
  var acknowledged: Int64 = 0
  var limits = UploadLimits()
  /// The time when the upload expires at the server.
  private(set) var expiry: Date?
  /// The error of an interim response, which ends the upload.
  private(set) var fault: LupineError?
  /// Why the last location of the server is not used.
  private var locationFault: String?
  /// The size of an append after the server has refused a larger one.
  private var smallerSize: Int64?
  private var createsCarefully: Bool
  private var fruitless = 0
  private var hasRestarted = false
  /// The request that runs, or the last one.
  private(set) var action: Action?
  /// The number of bytes of its body that the current exchange has sent; `nil` until the whole body has been sent.
  private var sent: Int64?

  init(
    _ dialect: UploadDialect, creation: UploadCreation, length: Int64?, restarts: Bool, target: HTTPURL,
    admits: @escaping @Sendable (HTTPURL) -> Bool = { _ in false }
  ) {
    self.dialect = dialect
    self.creation = creation
    self.length = length
    self.restarts = restarts
    self.target = target
    self.admits = admits
    createsCarefully = creation == .careful || dialect == .tus
  }

  /// Whether the requests so far can be repeated without harm: the upload has a location, or was created without
  /// content.
  var canBeRepeated: Bool { location != nil || action == .create(.empty) }

  /// The first step of an attempt.
  mutating func begin(now: Date) -> Step {
    fruitless = 0
    hasRestarted = false
    guard location != nil else { return create() }
    if let expiry, expiry <= now { return gone("has expired") }
    return send(.query)
  }

  private mutating func send(_ next: Action) -> Step {
    action = next
    return .send(next)
  }

  private mutating func create() -> Step {
    if let refusal = length.flatMap({ limits.refusal(ofLength: $0) }) { return .fail(refusal) }
    return send(.create(createsCarefully ? .empty : .whole))
  }

  /// The step after the server has lost the upload.
  private mutating func gone(_ reason: String) -> Step {
    guard restarts, !hasRestarted else {
      return .fail(.uploadEnded("The upload \(reason) at the server, so it cannot be resumed; begin it again."))
    }
    hasRestarted = true
    forget()
    return create()
  }

  /// Forgets the upload at the server, but not the server's limits.
  private mutating func forget() {
    location = nil
    acknowledged = 0
    expiry = nil
  }

  /// The step that sends what the server does not have.
  private mutating func append() -> Step {
    if let refusal = length.flatMap({ limits.refusal(ofLength: $0) }) { return .fail(refusal) }
    let sizes = [limits.maximumAppendSize, smallerSize].compactMap { $0 }
    guard let size = sizes.min() else {
      return send(.append(UploadPart(offset: acknowledged, end: length, isLast: true)))
    }
    guard let length else {
      return .fail(
        .uploadSizeRefused(
          "The server accepts at most \(size) bytes at a time, and the length of the body is not known; "
            + "write the body to a file first."))
    }
    guard length - acknowledged > size else {
      return send(.append(UploadPart(offset: acknowledged, end: length, isLast: true)))
    }
    guard size > 0, size >= limits.minimumAppendSize ?? 0 else {
      return .fail(
        .uploadSizeRefused(
          "The server accepts at most \(size) bytes at a time and no fewer than "
            + "\(limits.minimumAppendSize ?? 1), so the upload cannot be sent."))
    }
    return send(.append(UploadPart(offset: acknowledged, end: acknowledged + size, isLast: false)))
  }
}

/// The exchanges of a request.
extension UploadState {
  /// Notes an exchange of the request that runs; a challenge or a redirect needs several.
  ///
  /// A request that creates an upload creates another one in each exchange.
  mutating func beginExchange() {
    sent = nil
    if case .create = action { forget() }
  }

  /// Notes that the body of the exchange has been sent.
  mutating func bodySent(_ count: Int64) { sent = count }

  /// Whether the last exchange has sent the whole content of the request.
  private var isSentWhole: Bool {
    let expected: Int64? =
      switch action {
      case .create(.whole): length
      case .append(let part): part.count
      case .create(.empty), .query, nil: 0
      }
    guard let expected else { return sent != nil }
    return expected == 0 || sent == expected
  }

  /// Uses an interim response.
  ///
  /// - Returns: the error that ends the upload; it is also the `fault` then.
  mutating func receive(interim head: HTTPResponse, now: Date) -> LupineError? {
    guard fault == nil, dialect.accepts(interim: head) else { return fault }
    fault = check(interim: head, now: now)
    return fault
  }

  private mutating func check(interim head: HTTPResponse, now: Date) -> LupineError? {
    noteLimits(head, now: now)
    if case .create = action {
      if let error = noteLocation(head) { return error }
      if let refusal = length.flatMap({ limits.refusal(ofLength: $0) }) { return refusal }
    }
    guard let offset = head.uploadOffset else { return nil }
    return acknowledge(offset)
  }

  private mutating func noteLimits(_ head: HTTPResponse, now: Date) {
    if let stated = UploadLimits(head, dialect) {
      limits.update(with: stated)
      if let age = stated.maximumAge { expiry = now.addingTimeInterval(Double(age)) }
    }
    if dialect == .tus, let date = head.headerFields[.uploadExpires].flatMap({ HTTPDate.parse($0, now: now) }) {
      expiry = date
    }
  }

  /// Uses the location of a response to the request that creates the upload.
  ///
  /// A location that cannot be used is ignored, and the upload cannot be resumed. Two different locations are an error.
  private mutating func noteLocation(_ head: HTTPResponse) -> LupineError? {
    guard let reference = head.headerFields[.location] else { return nil }
    let url: HTTPURL
    do throws(LupineError) {
      url = try target.resolving(location: reference)
    } catch {
      locationFault = error.message
      return nil
    }
    locationFault = fault(of: url)
    guard locationFault == nil else { return nil }
    if let location, location.absoluteTarget != url.absoluteTarget {
      return .uploadEnded("The server named two different locations for one upload.")
    }
    location = url
    return nil
  }

  /// Why an upload cannot be at a URL; `nil` if it can.
  func fault(of url: HTTPURL) -> String? {
    if target.scheme == .https, url.scheme == .http {
      return "Its location has the scheme http, which would expose the upload."
    }
    if url.absoluteTarget == target.absoluteTarget { return "Its location is the URL of the request itself." }
    if url.origin == target.origin || admits(url) { return nil }
    return "Its location is at the origin \(url.origin), and the request does not name that in `secretsFor`."
  }

  /// Uses an offset of the server.
  private mutating func acknowledge(_ offset: Int64) -> LupineError? {
    if let length, offset > length {
      return .uploadEnded("The server states the offset \(offset), and the upload has \(length) bytes only.")
    }
    guard offset >= acknowledged else {
      return .uploadEnded(
        "The server states the offset \(offset) after it had acknowledged \(acknowledged) bytes, so it has lost some.")
    }
    if offset > acknowledged { fruitless = 0 }
    acknowledged = offset
    return nil
  }
}

/// The responses to the requests.
extension UploadState {
  /// Returns the step after a final response.
  ///
  /// - Parameter problemOffset: the offset in a problem description of the response, if it has one.
  mutating func receive(_ head: HTTPResponse, problemOffset: Int64? = nil, now: Date) -> Step {
    if let fault { return .fail(fault) }
    noteLimits(head, now: now)
    switch action {
    case .create(.whole): return created(head)
    case .create(.empty): return createdEmpty(head)
    case .query: return answered(head)
    case .append(let part): return appended(part, head, problemOffset)
    case nil: return .finish
    }
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
