import HTTPTypes
public import LupineCore
import LupineFoundation

/// Keeps the responses of an HTTP cache on a Redis or Valkey server, which several machines share.
///
/// ```swift
/// let store = try RedisStore(
///   RedisServer(url: "redis://cache.internal:6379"), authenticationKey: key)
/// ```
///
/// - The responses are in clear text on the server. Each is authenticated with HMAC-SHA256: one that was made or changed
///   without the key counts as missing. Whoever can write to the server can remove responses, and bring back one that
///   it held before.
/// - The machines share the key. A store with another key uses other names, so it neither reads nor replaces them.
/// - If another program has made a key of another type under one of the store's names, the store removes that key.
/// - A response disappears after `ResponseRecord.retention`, and earlier if the server needs the memory.
/// - If the server fails, every method throws an error soon, and at once until the server is tried again; see
///   ``Configuration``. The cache then sends its requests.
///
/// The store needs Redis 6 or newer, or Valkey, with the permission for scripts (`EVAL`). It does not follow the
/// redirections of a cluster. Use one value for a whole program: it owns the connections. All methods may be called
/// concurrently. None blocks a thread of Swift's pool.
public struct RedisStore: ResponseStore {
  let client: RedisClient
  let codec: EntryCodec
  let configuration: Configuration

  /// Creates a store; connections are made when they are needed.
  ///
  /// - Parameters:
  ///   - server: the server.
  ///   - authenticationKey: 32 to 1024 random bytes, the same on all machines. Keep them secret, and off the server.
  ///   - configuration: limits and times.
  ///   - clock: measures timeouts and delays. Default: the system's clock. The server itself measures how long a
  ///     response or a lease has been there.
  /// - Throws: `LupineError` of kind `configuration` if the server, the key or the configuration cannot be used.
  public init(
    _ server: RedisServer, authenticationKey: [UInt8], configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = ContinuousClock()
  ) throws(LupineError) {
    try server.validate()
    try configuration.validate()
    self.configuration = configuration
    codec = EntryCodec(authenticator: try Authenticator(key: authenticationKey), prefix: configuration.prefix)
    client = RedisClient(server, options: configuration.clientOptions, clock: SessionClock(clock))
  }

  /// Returns the authenticated responses of a key whose contents are still there, without the contents.
  public func responses(for key: String) async throws(LupineError) -> [StoredResponse] {
    try await responses(inHash: try codec.hashName(key)).filter { $0.record.key == key }
  }

  /// Returns the content of a response, which was read as a whole and authenticated.
  ///
  /// - Returns: `nil` if the response was removed or replaced, or its content is damaged.
  public func content(
    of response: StoredResponse, in range: Range<Int64>?
  ) async throws(LupineError) -> RequestBody? {
    let name = try codec.contentName(of: response)
    let value: Data
    switch try await client.send(RedisScript.content.command(on: name)) {
    case .null: return nil
    case .bytes(let bytes): value = bytes
    default: throw .redisUnexpected("EVAL", by: client.server)
    }
    guard let content = try codec.decode(content: value, of: response) else { return nil }
    guard let range else { return .bytes(content) }
    guard range.lowerBound >= 0, range.upperBound <= response.length else { return nil }
    return .bytes(Data(content.dropFirst(Int(range.lowerBound)).prefix(range.count)))
  }

  /// Makes a writer, which keeps the content in memory until it is committed; other requests read it there meanwhile.
  ///
  /// - Returns: `nil` if the record or the content is larger than its limit, or the record's retention is over.
  public func makeWriter(
    for record: ResponseRecord, length: Int64?
  ) async throws(LupineError) -> (any ResponseStoreWriter)? {
    if let length, length > Int64(configuration.contentLimit) { return nil }
    if let retention = record.retention, retention <= .zero { return nil }
    let sample = StoredResponse(id: EntryCodec.newID(), record: record, length: length ?? 0)
    guard try codec.encode(sample).count <= configuration.recordLimit else { return nil }
    return RedisWriter(store: self, record: record)
  }

  /// Replaces the record, and keeps the response for the retention of the new record.
  ///
  /// - Throws: `LupineError` of kind `redisRefused` if the record is larger than its limit.
  public func update(
    _ response: StoredResponse, to record: ResponseRecord
  ) async throws(LupineError) -> StoredResponse? {
    var updated = response
    updated.record = record
    let value = try codec.encode(updated)
    guard value.count <= configuration.recordLimit else {
      throw LupineError(
        .redisRefused,
        "The record of a response has \(value.count) bytes, more than the limit recordLimit of the Redis store.")
    }
    let script = RedisScript.update.command(
      on: try codec.hashName(record.key), [try codec.fieldName(record.variant), value, milliseconds(for: record)])
    return try await number(script) == 1 ? updated : nil
  }

  /// Removes a response; does nothing if it was removed or replaced.
  public func remove(_ response: StoredResponse) async throws(LupineError) {
    let field = try codec.fieldName(response.record.variant)
    _ = try await number(
      RedisScript.remove.command(on: try codec.hashName(response.record.key), [field, Data(response.id.utf8)]))
  }

  /// Removes all responses of a key.
  public func removeAll(for key: String) async throws(LupineError) {
    _ = try await number(RedisScript.removeAll.command(on: try codec.hashName(key)))
  }

  /// The authenticated responses in a hash.
  func responses(inHash hash: Data) async throws(LupineError) -> [StoredResponse] {
    guard case .array(let fields) = try await client.send(RedisScript.responses.command(on: hash)),
      fields.count.isMultiple(of: 2)
    else { throw .redisUnexpected("EVAL", by: client.server) }
    var responses: [StoredResponse] = []
    for index in stride(from: 0, to: fields.count, by: 2) {
      guard case .bytes(let field) = fields[index], case .bytes(let value) = fields[index + 1] else {
        throw .redisUnexpected("EVAL", by: client.server)
      }
      if let response = try codec.decode(value, hash: hash, field: field) { responses.append(response) }
    }
    return responses
  }

  /// Stores a response with its content.
  func commit(
    _ record: ResponseRecord, _ content: Data, trailers: HTTPFields?
  ) async throws(LupineError) -> StoredResponse? {
    let response = StoredResponse(
      id: EntryCodec.newID(), record: record, length: Int64(content.count), trailers: trailers)
    let value = try codec.encode(response)
    // The trailers come last, so the record may exceed its limit only now.
    guard value.count <= configuration.recordLimit else { return nil }
    let script = RedisScript.commit.command(
      on: try codec.hashName(record.key),
      [
        try codec.fieldName(record.variant), value, try codec.encode(content: content, of: response),
        milliseconds(for: record), Data(String(configuration.variantLimit).utf8),
      ])
    return try await number(script) == 1 ? response : nil
  }

  /// Sends a command whose reply is a number.
  func number(_ command: RedisCommand) async throws(LupineError) -> Int64 {
    guard case .integer(let number) = try await client.send(command) else {
      throw .redisUnexpected(command.name, by: client.server)
    }
    return number
  }

  /// The time to keep a response, in milliseconds.
  private func milliseconds(for record: ResponseRecord) -> Data {
    let retention = min(record.retention ?? configuration.maximumRetention, configuration.maximumRetention)
    return Data(String(retention.wholeMilliseconds).utf8)
  }
}

extension RedisStore: HidesSecrets {
  /// The server, without its user and password.
  public var description: String { "Redis store at \(client.server)" }
}
