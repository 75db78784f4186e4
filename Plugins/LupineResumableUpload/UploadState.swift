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
    /// Asks a server of tus what it supports.
    case discover
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

  /// Whether each append has a checksum, whose algorithm the server of tus chooses.
  let hasChecksums: Bool

  /// The URL of the upload at the server; `nil` if the server has named none.
  var location: HTTPURL?
  /// The number of bytes that the server has acknowledged.
  var acknowledged: Int64 = 0
  /// The offset after the last byte that an exchange of the upload may have sent.
  var offered: Int64 = 0
  /// The same offset without the current exchange.
  var offeredBefore: Int64 = 0
  var limits = UploadLimits()
  /// The abilities of the server of tus; `nil` as long as it was not asked.
  var abilities: TusAbilities?
  /// The time when the upload expires at the server.
  var expiry: Date?
  /// The error of an interim response, which ends the upload.
  var fault: LupineError?
  /// Why the last location of the server is not used.
  var locationFault: String?
  /// The size of an append after the server has refused a larger one.
  var smallerSize: Int64?
  var createsCarefully: Bool
  var fruitless = 0
  var hasRestarted = false
  /// The request that runs, or the last one.
  var action: Action?
  /// Whether an exchange of the request has begun.
  var hasExchange = false
  /// The number of bytes of its body that the current exchange has sent; `nil` until the whole body has been sent.
  var sent: Int64?

  init(
    _ dialect: UploadDialect, creation: UploadCreation, length: Int64?, restarts: Bool, target: HTTPURL,
    hasChecksums: Bool = false, admits: @escaping @Sendable (HTTPURL) -> Bool = { _ in false }
  ) {
    self.dialect = dialect
    self.creation = creation
    self.length = length
    self.restarts = restarts
    self.target = target
    self.hasChecksums = hasChecksums && dialect == .tus
    self.admits = admits
    createsCarefully = creation == .careful || dialect == .tus
  }

  /// Whether the requests so far can be repeated without harm: the upload has a location, was created without content,
  /// or was not created.
  var canBeRepeated: Bool { location != nil || action == .create(.empty) || action == .discover }

  /// The bytes that the server has, and the length of the upload; `nil` until the server has shown that it keeps the upload.
  var progress: (completed: Int64, total: Int64?)? { location == nil ? nil : (acknowledged, length) }

  /// The first step of an attempt.
  mutating func begin(now: Date) -> Step {
    fruitless = 0
    hasRestarted = false
    return hasChecksums && abilities == nil ? send(.discover) : start(now: now)
  }

  /// The step that creates the upload, or continues it.
  mutating func start(now: Date) -> Step {
    guard location != nil else { return create() }
    if let expiry, expiry <= now { return gone("has expired") }
    return send(.query)
  }

  mutating func send(_ next: Action) -> Step {
    action = next
    hasExchange = false
    offeredBefore = offered
    offer()
    return .send(next)
  }

  mutating func create() -> Step {
    if let refusal = length.flatMap({ limits.refusal(ofLength: $0) }) { return .fail(refusal) }
    return send(.create(createsCarefully ? .empty : .whole))
  }

  /// Continues the upload of another process, which may have sent any part of it.
  mutating func restore(acknowledged: Int64) {
    self.acknowledged = acknowledged
    offered = length ?? .max
  }

  /// The step after the server has lost the upload.
  mutating func gone(_ reason: String) -> Step {
    guard restarts, !hasRestarted else {
      return .fail(.uploadEnded("The upload \(reason) at the server, so it cannot be resumed; begin it again."))
    }
    hasRestarted = true
    forget()
    return create()
  }

  /// Forgets the upload at the server, but not the server's limits.
  mutating func forget() {
    location = nil
    acknowledged = 0
    offered = 0
    offeredBefore = 0
    expiry = nil
  }

  /// The step that sends what the server does not have.
  mutating func append() -> Step {
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
