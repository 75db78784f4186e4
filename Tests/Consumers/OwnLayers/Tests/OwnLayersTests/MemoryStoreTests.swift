import Foundation
import Lupine
import LupineTesting
import Testing

@testable import OwnLayers

@Suite struct MemoryStoreTests {
  @Test(.timeLimit(.minutes(1)), arguments: ResponseStoreCheck.all)
  func `the store conforms`(check: ResponseStoreCheck) async throws {
    try await check.run { MemoryStore() }
  }

  @Test func `a store that forgets updates fails the check of updates alone`() async throws {
    var failed: [String] = []
    for check in ResponseStoreCheck.all {
      do { try await check.run { ForgetfulStore() } } catch is ConformanceFailure { failed.append(check.name) }
    }
    #expect(failed == ["An update changes the record and keeps the content"])
  }

  @Test func `the oldest responses make room`() async throws {
    let store = MemoryStore(limit: 10)
    for key in ["a", "b", "c"] {
      let record = ResponseRecord(key: key, head: HTTPResponse(status: .ok))
      let writer = try #require(try await store.makeWriter(for: record, length: 4))
      try await writer.append(Data("text".utf8))
      #expect(try await writer.commit(trailers: nil) != nil)
    }
    #expect(try await store.size() == 8)
    #expect(try await store.responses(for: "a").isEmpty)
    let record = ResponseRecord(key: "d", head: HTTPResponse(status: .ok))
    #expect(try await store.makeWriter(for: record, length: 11) == nil)
  }
}

/// A store whose updates have no effect.
private struct ForgetfulStore: ResponseStore {
  let store = MemoryStore()

  func responses(for key: String) async throws(LupineError) -> [StoredResponse] { try await store.responses(for: key) }

  func content(of response: StoredResponse, in range: Range<Int64>?) async throws(LupineError) -> RequestBody? {
    try await store.content(of: response, in: range)
  }

  func makeWriter(for record: ResponseRecord, length: Int64?) async throws(LupineError) -> (any ResponseStoreWriter)? {
    try await store.makeWriter(for: record, length: length)
  }

  func update(_ response: StoredResponse, to record: ResponseRecord) async throws(LupineError) -> StoredResponse? {
    try await store.responses(for: record.key).first { $0.id == response.id }
  }

  func remove(_ response: StoredResponse) async throws(LupineError) { try await store.remove(response) }

  func removeAll(for key: String) async throws(LupineError) { try await store.removeAll(for: key) }

  func removeAll(where matches: @escaping @Sendable (StoredResponse) -> Bool) async throws(LupineError) {
    try await store.removeAll(where: matches)
  }

  func size() async throws(LupineError) -> Int64 { try await store.size() }
}
