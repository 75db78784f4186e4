import HTTPTypes
import LupineCore
import LupineFoundation
import LupineTransfers
import Synchronization

/// One upload: its settings, its body and its state, which the attempts of its request share.
final class ResumableUpload: Sendable {
  struct Settings: Sendable {
    let dialect: UploadDialect
    let creation: UploadCreation
    /// Whether the upload may be at another origin than its request, where it receives the secrets of the request.
    let admits: @Sendable (HTTPURL) -> Bool
    var checkpoint: UploadCheckpoint?
    var policy = ResumePolicy.restart
    var sendsDigest = false
  }

  private struct Storage {
    var settings: Settings
    var source: UploadSource?
    var digest: Data?
    var state: UploadState?
    /// The state that the checkpoint has.
    var stored: StoredUpload?
    /// The exchange that runs, which passes on the progress.
    var exchange: TransferContext?

    /// Limits what the server can have to what the transport has taken.
    ///
    /// - Parameter countsZero: whether a count of zero is certain. Otherwise the bytes may have been counted elsewhere,
    ///   as in the branches of an exchange that is hedged.
    mutating func limitOffer(countsZero: Bool = false) {
      guard let count = exchange?.control.metrics.bytesSent, count > 0 || countsZero else { return }
      state?.limitOffer(toSent: count)
    }
  }

  private let storage: Mutex<Storage>

  init(_ settings: Settings) { storage = Mutex(Storage(settings: settings)) }

  var settings: Settings { storage.withLock { $0.settings } }

  func change(_ change: (inout Settings) -> Void) { storage.withLock { change(&$0.settings) } }

  /// The number of bytes that the server has acknowledged.
  var acknowledged: Int64 { storage.withLock { $0.state?.acknowledged ?? 0 } }

  /// Whether a retry repeats nothing that may have happened.
  var canBeRepeated: Bool { storage.withLock { $0.state?.canBeRepeated ?? false } }

  /// The URL of the upload at the server, if the server has named one.
  var location: HTTPURL? { storage.withLock { $0.state?.location } }

  /// The abilities of the server of tus, if it was asked.
  var abilities: TusAbilities? { storage.withLock { $0.state?.abilities } }

  /// The error of an interim response, which ends the upload.
  var fault: LupineError? { storage.withLock { $0.state?.fault } }

  /// Changes the state; does nothing and returns `nil` before the first attempt and after the end.
  func withState<Value: Sendable>(_ body: (inout UploadState) -> Value) -> Value? {
    storage.withLock { storage in
      guard var state = storage.state else { return nil }
      defer { storage.state = state }
      return body(&state)
    }
  }
}

/// The exchanges and the progress.
extension ResumableUpload {
  /// Notes an exchange of the request that runs; a challenge or a redirect needs several.
  func beginExchange(_ context: TransferContext) {
    storage.withLock {
      // The former exchange may have been another one of the same request.
      $0.limitOffer()
      $0.state?.beginExchange()
      $0.exchange = context
    }
    reportProgress()
  }

  /// Notes that the exchange that runs has failed, so that it sends no more.
  ///
  /// - Parameter sentNothing: whether it is certain that an exchange without a counted byte has sent none.
  func exchangeFailed(sentNothing: Bool) { storage.withLock { $0.limitOffer(countsZero: sentNothing) } }

  /// Uses a final response; see `UploadState.receive(_:problemOffset:now:)`.
  func receive(_ head: HTTPResponse, problemOffset: Int64?, now: Date) -> UploadState.Step {
    storage.withLock { storage in
      // The offset of a conflict cannot exceed what has been sent by now.
      if head.status == .conflict { storage.limitOffer() }
      return storage.state?.receive(head, problemOffset: problemOffset, now: now) ?? .finish
    }
  }

  /// Notes that the request that runs has ended.
  func endExchange() { storage.withLock { $0.exchange = nil } }

  /// Reports what the server has, once it has shown that it keeps the upload.
  ///
  /// Before that, the session counts the bytes that are sent, as for every upload.
  func reportProgress() {
    let (exchange, progress) = storage.withLock { ($0.exchange, $0.state?.progress) }
    if let exchange, let progress { exchange.didAcknowledge(progress.completed, of: progress.total) }
  }
}

/// The body and the checkpoint.
extension ResumableUpload {
  /// The state at the beginning of an attempt.
  struct Beginning: Sendable {
    let source: UploadSource
    let digest: Data?
    /// The upload of an earlier process that is not continued.
    var superseded: HTTPURL?
  }

  /// Examines the body in the first attempt, and continues the upload of an earlier process.
  ///
  /// Later attempts send the body of the first one, so a content coding is applied once.
  func begin(_ request: OutgoingRequest) async throws(LupineError) -> Beginning {
    let settings = settings
    let later = storage.withLock { storage -> Beginning? in
      guard let source = storage.source else { return nil }
      if storage.state == nil { storage.state = Self.makeState(for: request, source, settings) }
      return Beginning(source: source, digest: storage.digest)
    }
    if let later { return later }
    if let fault = settings.dialect.fault { throw fault }
    let source = try await UploadSource(request.body, isKept: settings.checkpoint != nil)
    let digest = settings.sendsDigest && settings.dialect != .tus ? try await source.digest() : nil
    var state = Self.makeState(for: request, source, settings)
    let superseded = try await restore(&state, request, source)
    storage.withLock { [state] storage in
      storage.source = source
      storage.digest = digest
      storage.state = state
    }
    return Beginning(source: source, digest: digest, superseded: superseded)
  }

  private static func makeState(
    for request: OutgoingRequest, _ source: UploadSource, _ settings: Settings
  ) -> UploadState {
    UploadState(
      settings.dialect, creation: settings.creation, length: source.body.length,
      restarts: settings.policy == .restart, target: request.url, hasChecksums: settings.sendsDigest,
      admits: settings.admits)
  }

  /// Continues the upload of the checkpoint if it is the same.
  ///
  /// - Returns: the location of another upload, if it is one to which this request may be sent.
  /// - Throws: `LupineError` of kind `resumeFailed` if the upload cannot be continued and must not begin again.
  private func restore(
    _ state: inout UploadState, _ request: OutgoingRequest, _ source: UploadSource
  ) async throws(LupineError) -> HTTPURL? {
    guard let checkpoint = settings.checkpoint else { return nil }
    let mayRestart = settings.policy == .restart
    switch await checkpoint.read() {
    case .nothing: return nil
    case .unusable(let error):
      if !mayRestart { throw checkpoint.refusal(error) }
      // The content is not a checkpoint, so it must not be overwritten.
      change { $0.checkpoint = nil }
      return nil
    case .upload(let stored):
      state.location = (try? HTTPURL(stored.location)).flatMap { state.fault(of: $0) == nil ? $0 : nil }
      if let now = record(state, request, source), stored.isSameUpload(as: now) {
        state.restore(acknowledged: stored.acknowledged)
        return nil
      }
      if mayRestart { return state.location.take() }
      throw .uploadEnded(
        "\(checkpoint.path) belongs to another upload, or the file has changed since; remove the checkpoint to begin "
          + "again.")
    }
  }

  private func record(_ state: UploadState, _ request: OutgoingRequest, _ source: UploadSource) -> StoredUpload? {
    guard let location = state.location, let length = state.length, let content = source.version else { return nil }
    return StoredUpload(
      dialect: state.dialect, method: request.method.rawValue, target: request.url, location: location, length: length,
      content: content, acknowledged: state.acknowledged)
  }

  /// Writes the checkpoint if the state differs from the written one.
  func keep(_ request: OutgoingRequest) async throws(LupineError) {
    guard let checkpoint = settings.checkpoint else { return }
    let changed = storage.withLock { storage -> StoredUpload? in
      guard let state = storage.state, let source = storage.source, let new = record(state, request, source),
        new != storage.stored
      else { return nil }
      return new
    }
    guard let changed else { return }
    try await checkpoint.write(changed)
    storage.withLock { $0.stored = changed }
  }

  /// Ends the upload: a later attempt begins another one.
  func end() async {
    let checkpoint = storage.withLock { storage in
      storage.state = nil
      storage.stored = nil
      return storage.settings.checkpoint
    }
    await checkpoint?.remove()
  }
}
