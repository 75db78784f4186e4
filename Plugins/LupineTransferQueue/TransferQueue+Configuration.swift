public import LupineCore
import LupineFoundation
public import LupineSession
public import LupineTransfers

extension TransferQueue {
  /// The settings of a queue, which hold for one process.
  public struct Configuration: Sendable {
    /// The maximum number of transfers that run at the same time.
    ///
    /// A slow or silent host holds up no other, because one host gets half of them by default. Several slow hosts together
    /// can fill the limit; the transfers of other hosts then wait until one of them ends. Choose a greater limit, or a
    /// timeout of the session that ends slow transfers.
    ///
    /// Default: 4.
    public var limit = 4
    /// The maximum number of transfers with one host and port; `nil` means half of `limit`, but at least one.
    ///
    /// A number that is not less than `limit` lets one host take all places.
    ///
    /// Default: `nil`.
    public var limitPerHost: Int?
    /// The maximum number of bytes per second of all transfers together; `nil` means no limit.
    ///
    /// It bounds the bytes of bodies, in both directions.
    public var bytesPerSecond: Int?
    /// The conditions of the network: nothing starts while there is none.
    ///
    /// `nil` means that there always is one. Default: `nil`.
    public var network: (any NetworkConditionsSource)?
    /// Returns the URL of a transfer with `QueuedTransfer.asksForURL`, for example with a fresh signature.
    ///
    /// It is asked at each attempt, and when a server answers 401, 403, 404 or 410.
    public var refreshURL: (@Sendable (TransferSnapshot) async throws -> any URLConvertible)?
    /// Makes the uploads resumable; `nil` sends an interrupted upload again from its beginning.
    ///
    /// The queue itself cannot resume an upload; pass a plugin that can.
    public var resumption: UploadResumption?
    /// Makes the session of a stored profile, for transfers that name one; it must not wait.
    ///
    /// `nil` uses the session of the queue for all transfers. An error fails the transfers of the profile. Default: `nil`.
    public var sessionForProfile: (@Sendable (Profile) throws -> Session)?
    /// Whether this process may run the transfers of the folder.
    ///
    /// A process that may not can list, add, pause, resume, cancel and remove transfers, and read events; the commands
    /// wait in the folder while no process runs the transfers. Default: yes.
    public var runsTransfers = true
    /// How often, and after which delay, a download continues after a failure of its connection without any progress.
    ///
    /// Default: 5 times, the first after a second.
    public var retries: (limit: Int, delay: Duration) = (5, .seconds(1))

    /// Creates the default settings.
    public init() {}

    /// Creates settings, which the closure changes.
    public init(_ change: (inout Configuration) -> Void) { change(&self) }
  }

  /// The functions that make the uploads of a queue resumable.
  ///
  /// A queue knows no protocol for it. With `LupineResumableUpload`:
  ///
  /// ```swift
  /// configuration.resumption = TransferQueue.UploadResumption { upload, name, store in
  ///   upload.resumable().checkpoint(name, in: store).resumesAutomatically()
  /// } discard: { session, name, store in
  ///   try await session.discardUpload(checkpoint: name, in: store)
  /// }
  /// ```
  public struct UploadResumption: Sendable {
    let prepare: @Sendable (UploadRequest, String, any CheckpointStore) -> any ValueRequest
    let discard: @Sendable (Session, String, any CheckpointStore) async throws -> Void

    /// Creates the value.
    ///
    /// - Parameters:
    ///   - prepare: returns the upload as a resumable one with a checkpoint of this name in the store, which is on the
    ///     disk of the queue. The checkpoint may have the location of the upload, which is as secret as a credential.
    ///   - discard: gives up the upload of a checkpoint, for a transfer that was cancelled or removed.
    public init(
      prepare: @escaping @Sendable (UploadRequest, _ name: String, any CheckpointStore) -> any ValueRequest,
      discard: @escaping @Sendable (Session, _ name: String, any CheckpointStore) async throws -> Void = { _, _, _ in }
    ) {
      self.prepare = prepare
      self.discard = discard
    }
  }
}

extension TransferQueue.Configuration {
  /// The limits on the number of transfers that run at the same time.
  var limits: QueueMachine.Limits { QueueMachine.Limits(total: limit, perHost: limitPerHost ?? max(1, limit / 2)) }

  /// The settings of one queue.
  func settings(
    folder: String, session: Session, clock: SessionClock, random: @escaping @Sendable () -> UInt64,
    executor: (any TaskExecutor)?, patience: Duration, hooks: RunningHooks? = nil
  ) -> QueueSettings {
    QueueSettings(
      folder: folder, session: session, limits: limits, bytesPerSecond: bytesPerSecond, network: network,
      refreshURL: refreshURL, prepareUpload: resumption?.prepare, discardUpload: resumption?.discard,
      sessionForProfile: sessionForJSON, runsTransfers: runsTransfers, retries: retries, clock: clock, random: random,
      executor: executor, patience: patience, hooks: hooks)
  }

  /// Makes the session of a profile from its JSON.
  private var sessionForJSON: (@Sendable (Data) throws -> Session)? {
    guard let make = sessionForProfile else { return nil }
    return { json in try make(JSONDecoder().decode(TransferQueue.Profile.self, from: json)) }
  }
}
