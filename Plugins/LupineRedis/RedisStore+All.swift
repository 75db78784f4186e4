public import LupineCore
import LupineFoundation

/// The calls that concern all responses of the store, whatever their key.
///
/// The names are found with `SCAN`, which passes over all keys of the database in steps. It takes longer the more keys
/// other programs have there.
extension RedisStore {
  /// The most steps of one `SCAN`, and the most keys with responses that one method looks at.
  private static let scanLimit = 1_000_000

  /// Removes all responses that match; the closure is called from the calling task.
  public func removeAll(
    where matches: @escaping @Sendable (StoredResponse) -> Bool
  ) async throws(LupineError) {
    try await forEachHash { (hash) throws(LupineError) in
      for response in try await responses(inHash: hash) where matches(response) { try await remove(response) }
    }
  }

  /// Returns the number of bytes of all records and contents, without what the server needs to manage them.
  ///
  /// Forged values count as well.
  public func size() async throws(LupineError) -> Int64 {
    var size: Int64 = 0
    try await forEachHash { (hash) throws(LupineError) in
      size += min(max(0, try await number(RedisScript.size.command(on: hash))), 1 << 40)
    }
    return size
  }

  /// Calls the closure once with the name of each hash that exists the whole time.
  private func forEachHash(_ body: (Data) async throws(LupineError) -> Void) async throws(LupineError) {
    var seen: Set<Data> = []
    var cursor = Data("0".utf8)
    for _ in 0..<Self.scanLimit {
      let scan = RedisCommand(
        "SCAN", [cursor, Data("MATCH".utf8), Data(codec.hashPattern.utf8), Data("COUNT".utf8), Data("512".utf8)])
      guard case .array(let parts) = try await client.send(scan), parts.count == 2, case .bytes(let next) = parts[0],
        case .array(let names) = parts[1]
      else { throw .redisUnexpected("SCAN", by: client.server) }
      for case .bytes(let name) in names where codec.isHashName(name) && seen.insert(name).inserted {
        try await body(name)
      }
      if next == Data("0".utf8) { return }
      guard seen.count <= Self.scanLimit, next.count <= 20 else { break }
      cursor = next
    }
    throw .redisUnavailable("The Redis server at \(client.server) does not end its list of keys.")
  }
}
