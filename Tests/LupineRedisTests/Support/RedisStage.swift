import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineTesting
import Synchronization
import Testing

@testable import LupineRedis

/// Shared code of the tests that need the Redis server of the peers.
enum RedisStage {
  static let key = [UInt8](repeating: 7, count: 32)

  static var isAvailable: Bool { Peers.redisSocket != nil || Peers.areRequired }

  static func peer() throws -> RedisServer { RedisServer(.unix(path: try #require(Peers.redisSocket))) }

  /// Makes an empty store, whose prefix no other store has.
  ///
  /// Its clock stands still, so that no command times out on a slow machine.
  static func store(
    on server: RedisServer? = nil, key: [UInt8] = key, clock: any Clock<Duration> = TestClock(),
    _ change: (inout RedisStore.Configuration) -> Void = { _ in }
  ) throws -> RedisStore {
    var configuration = RedisStore.Configuration()
    configuration.prefix = "test-\(UUID().uuidString)"
    change(&configuration)
    return try RedisStore(server ?? peer(), authenticationKey: key, configuration: configuration, clock: clock)
  }

  static func record(_ key: String, variant: String = "", retention: Duration? = nil) -> ResponseRecord {
    ResponseRecord(
      key: key, variant: variant, head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]),
      metadata: Data("metadata".utf8), retention: retention)
  }
}

/// The server has no value for this command.
struct MissingValue: Error {
  let command: String
}

extension RedisStore {
  /// Stores a response.
  @discardableResult
  func add(_ record: ResponseRecord, _ content: String) async throws -> StoredResponse {
    let writer = try #require(try await makeWriter(for: record, length: Int64(content.utf8.count)))
    try await writer.append(Data(content.utf8))
    return try #require(try await writer.commit(trailers: nil))
  }

  /// The content of a response; `nil` if the store has it no more.
  func text(of response: StoredResponse) async throws -> String? {
    guard let content = try await content(of: response, in: nil) else { return nil }
    let context = TransferContext(id: RequestID(1)) { _ in .collect(limit: 1 << 20) }
    let received = try await context.makeResponse(HTTPResponse(status: .ok), content: content)
    return String(decoding: try await received.body.end().data, as: UTF8.self)
  }

  /// Sends a command with arguments of text.
  @discardableResult
  func raw(_ name: String, _ arguments: String...) async throws -> RESPValue {
    try await client.send(RedisCommand(name, arguments.map { Data($0.utf8) }))
  }

  /// Sends a command whose reply is a string.
  func bytes(_ name: String, _ arguments: Data...) async throws -> Data {
    guard case .bytes(let bytes) = try await client.send(RedisCommand(name, arguments)) else {
      throw MissingValue(command: name)
    }
    return bytes
  }

  /// Lets the server wait, so that its clock passes a moment.
  func letServerWait(seconds: Double) async throws {
    #expect(try await raw("BLPOP", "test-nothing", String(seconds)) == .null)
  }
}
