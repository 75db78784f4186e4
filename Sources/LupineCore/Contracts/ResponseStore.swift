public import LupineFoundation
public import HTTPTypes

/// Keeps responses for a cache: in memory, on a disk, or in a service that several machines share.
///
/// A store keeps bytes and decides nothing about HTTP. The cache decides which response may be stored, which stored one
/// fits a request, whether it is fresh, and who may have it (RFC 9111). It never stores a request's secret.
///
/// - A stored response appears as a whole, when its writer commits it, and takes the place of the one with the same key
///   and variant. Until then the old one stays.
/// - The store may remove any response at any time, for example to make room. The cache then sends the request.
/// - An error means that the store has failed, not the request. The cache sends the request, and a response that was
///   not stored completely does not appear.
/// - A cache waits a second at most for a call. Then it cancels the task of the call and goes on without the store. A
///   store that waits for a lock or a disk may return later; the result is dropped.
/// - What the store returns is what was stored. A store whose medium may be damaged or changed by others verifies it,
///   and treats a damaged response as missing.
///
/// The methods are called concurrently, from any task, with no lock held. They block no thread of Swift's pool: code
/// that waits for a disk runs in `BlockingWork`. If the calling task is cancelled, a method may throw before it has
/// changed anything. `ResponseStoreCheck` of `LupineTesting` checks an implementation.
public protocol ResponseStore: Sendable {
  /// Returns the stored responses of a key, one for each variant, in any order.
  func responses(for key: String) async throws(LupineError) -> [StoredResponse]

  /// Returns the content of a stored response, or a part of it, for
  /// `TransferContext.makeResponse(_:content:trailers:)`.
  ///
  /// The content is read at the reader's pace. If the response is removed or replaced meanwhile, the reader still gets
  /// its bytes or an error, never other bytes.
  ///
  /// - Parameters:
  ///   - response: the response, as the store returned it.
  ///   - range: the bytes to return, within `0..<response.length`; `nil` means all.
  /// - Returns: `nil` if the response was removed or replaced.
  func content(
    of response: StoredResponse, in range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody?

  /// Makes a writer for a response that is about to arrive.
  ///
  /// Several writers of one key and variant may exist; the last commit counts.
  ///
  /// - Parameter length: the length of the content in bytes; `nil` if it is not known. A store can make room for it
  ///   before the first byte.
  /// - Returns: `nil` if the store does not take the response, for example because it is too large.
  func makeWriter(
    for record: ResponseRecord, length: Int64?
  ) async throws(LupineError) -> (any ResponseStoreWriter)?

  /// Replaces the record of a stored response and keeps its content, as after 304 (RFC 9111 section 4.3.4).
  ///
  /// Key and variant of the record are those of the response.
  ///
  /// - Returns: the response with the new record; `nil` if it was removed or replaced, and nothing has changed then.
  func update(
    _ response: StoredResponse, to record: ResponseRecord
  ) async throws(LupineError) -> StoredResponse?

  /// Removes a stored response; does nothing if it was removed or replaced.
  func remove(_ response: StoredResponse) async throws(LupineError)

  /// Removes all stored responses of a key, as an unsafe request requires (RFC 9111 section 4.4).
  func removeAll(for key: String) async throws(LupineError)

  /// Removes all stored responses that match.
  ///
  /// - Parameter matches: called with each stored response, on any thread, one call after another, with no lock held.
  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError)

  /// Returns the number of bytes that the stored responses occupy, with their records.
  func size() async throws(LupineError) -> Int64

  /// Gives leases to the caches of several machines, so that one of them fetches a response and the others wait for it.
  ///
  /// `nil`, the default, means that the store gives none.
  var leases: (any ResponseLeases)? { get }

  /// Returns a key for the hashes of secrets, which the store keeps for the caches of all processes that use it.
  ///
  /// Called when a cache is made without a key of its own, on the caller's thread; it may wait for a disk. It returns
  /// the same bytes each time: at least 32, random. `nil`, the default, means that the store keeps no key.
  func hashKey() throws(LupineError) -> [UInt8]?
}

extension ResponseStore {
  /// No leases.
  public var leases: (any ResponseLeases)? { nil }

  /// No key.
  public func hashKey() throws(LupineError) -> [UInt8]? { nil }
}

/// Takes the content of one response into a store.
///
/// The calls do not overlap; each may come from another task. A writer that is released without `commit(trailers:)` is
/// aborted.
public protocol ResponseStoreWriter: AnyObject, Sendable {
  /// Takes the next bytes of the content, as they arrived.
  ///
  /// It returns when the store is ready for more. A cache does not make a transfer wait for it: it keeps a bounded
  /// number of bytes, and aborts the writer of a store that is too slow.
  ///
  /// - Throws: `LupineError` if the bytes cannot be stored, as over a limit or on a full disk. The cache then aborts.
  func append(_ bytes: Data) async throws(LupineError)

  /// Makes the response appear, in the place of the one with the same key and variant.
  ///
  /// - Parameter trailers: the trailers after the content, if there were any.
  /// - Returns: the stored response; `nil` if the store did not keep it.
  func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse?

  /// Makes what was appended appear with another record, in the place of the response with that record's variant.
  ///
  /// A cache stores so the beginning of a response that broke off. The key of the record is that of the writer. The
  /// default aborts, and returns `nil`.
  ///
  /// - Returns: the stored response; `nil` if the store did not keep it.
  func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse?

  /// Drops what was appended; does nothing after `commit(trailers:)`.
  func abort() async
}

extension ResponseStoreWriter {
  /// Aborts: a store need not keep responses that broke off.
  public func commit(as record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    await abort()
    return nil
  }
}

/// The part of a stored response that is not its content: the head, the key and the cache's metadata.
///
/// Its description shows neither fields nor metadata, which may be secret.
public struct ResponseRecord: Sendable, Hashable, Codable, HidesSecrets {
  /// The key of the response: text of any length that the cache makes, usually from the method and the URL.
  ///
  /// A store whose medium limits names uses a hash of it.
  public var key: String
  /// The variant among the responses of the key, which the cache makes from the fields that `Vary` names; empty if
  /// there is one alone.
  public var variant: String
  /// The head of the response.
  public var head: HTTPResponse
  /// The cache's own data about the response, such as the times of its request and its arrival.
  public var metadata: Data
  /// The time for which the response is worth keeping, from its commit or its update: how long it is fresh, and how
  /// long it may be used when it is stale.
  ///
  /// A store may remove the response afterwards. `nil`, the default, means unknown.
  public var retention: Duration?

  /// Creates a record.
  public init(
    key: String, variant: String = "", head: HTTPResponse, metadata: Data = Data(), retention: Duration? = nil
  ) {
    self.key = key
    self.variant = variant
    self.head = head
    self.metadata = metadata
    self.retention = retention
  }

  /// The status and the size of the metadata.
  public var description: String { "status \(head.status.code), \(metadata.count) bytes of metadata" }
}

/// A response that a store keeps.
public struct StoredResponse: Sendable, Hashable, Identifiable, HidesSecrets {
  /// Names this content in its store.
  ///
  /// A replacement has another identifier; an update of the record keeps it.
  public let id: String
  /// The part of the response that is not its content.
  public var record: ResponseRecord
  /// The length of the content in bytes.
  public let length: Int64
  /// The trailers after the content, if there were any.
  public let trailers: HTTPFields?

  /// Describes a stored response, for a store.
  public init(id: String, record: ResponseRecord, length: Int64, trailers: HTTPFields? = nil) {
    self.id = id
    self.record = record
    self.length = length
    self.trailers = trailers
  }

  /// The record and the length.
  public var description: String { "\(record), \(length) bytes of content" }
}
