import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineTesting
import Synchronization
import Testing

@testable import LupineSQLite

@Suite struct SQLiteStoreTests {
  private let stage: StoreFolderStage

  init() throws { stage = try StoreFolderStage() }

  private let small = StoreFolderStage.content(1, count: 3_000)
  private let large = StoreFolderStage.content(2, count: 300_000)

  @Test(.timeLimit(.minutes(1)), arguments: ResponseStoreCheck.all)
  func `the store conforms`(check: ResponseStoreCheck) async throws {
    try await check.run { stage.makeStore() }
  }

  @Test func `each response is listed once, and removed once, whatever their number`() async throws {
    let store = stage.makeStore()
    let keys = (0..<600).map { "key \($0)" }
    for key in keys { try await store.add(key, [1]) }
    let seen = Mutex<[String]>([])
    try await store.removeAll { response in
      seen.withLock { $0.append(response.record.key) }
      return response.record.key.hasSuffix("7")
    }
    #expect(seen.withLock { $0 } == keys)
    seen.withLock { $0 = [] }
    try await store.removeAll { response in
      seen.withLock { $0.append(response.record.key) }
      return true
    }
    #expect(seen.withLock { $0 } == keys.filter { !$0.hasSuffix("7") })
    #expect(try await store.size() == 0)
  }

  @Test(arguments: [Int64.max, 1 << 60, 0, -1, .min])
  func `every size and length is accepted`(size: Int64) async throws {
    let store = stage.makeStore(maximumSize: size)
    let record = ResponseRecord(key: "key", head: HTTPResponse(status: .ok))
    var writers: [(any ResponseStoreWriter)?] = []
    for length in [Int64.max, Int64.max / 8, 1 << 47, -1, .min] as [Int64] {
      writers.append(try? await store.makeWriter(for: record, length: length))
    }
    let response = StoredResponse(id: "1-1", record: record, length: .min)
    #expect(try await store.content(of: response, in: nil) == nil)
    _ = writers
    await store.close()
  }

  @Test func `a reopened store has its responses`() async throws {
    let store = stage.makeStore()
    let added = try await store.add("small", small)
    try await store.add("large", large)
    let size = try await store.size()
    await store.close()
    let second = stage.makeStore()
    #expect(try await second.responses(for: "small").first == added)
    #expect(try await second.bytes("small") == small)
    #expect(try await second.bytes("large") == large)
    #expect(try await second.size() == size)
  }

  @Test func `a store that is released without closing keeps its responses`() async throws {
    try await stage.makeStore().add("small", small)
    #expect(try await stage.makeStore().bytes("small") == small)
  }

  @Test func `a closed store throws, and its contents can still be read`() async throws {
    let store = stage.makeStore()
    let response = try #require(try await store.add("large", large))
    let body = try #require(try await store.content(of: response, in: nil))
    await store.close()
    await #expect(throws: LupineError.self) { try await store.responses(for: "large") }
    var bytes: [UInt8] = []
    try await body.drain { (piece) throws(LupineError) in bytes += piece }
    #expect(bytes == large)
  }

  @Test func `a content is read again, and in ranges that cross its blocks`() async throws {
    let store = stage.makeStore()
    let response = try #require(try await store.add("large", large))
    for range in [Int64(0)..<300_000, 65_535..<65_537, 65_536..<131_072, 1..<299_999, 299_999..<300_000, 7..<7] {
      let bytes = try await store.bytes(of: response, in: range)
      #expect(bytes == Array(large[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
    await #expect(throws: LupineError.self) { try await store.content(of: response, in: 0..<300_001) }
  }

  @Test func `two stores of one folder share their responses`() async throws {
    let (one, two) = (stage.makeStore(), stage.makeStore())
    try await one.add("before", small)
    #expect(try await two.bytes("before") == small)
    try await one.add("after", large)
    // The other store notices the response when it uses the database.
    #expect(try await two.bytes("before") == small)
    #expect(try await two.bytes("after") == large)
    let response = try #require(try await two.responses(for: "after").first)
    let body = try #require(try await two.content(of: response, in: nil))
    try await one.removeAll(for: "after")
    #expect(try await two.responses(for: "after") == [])
    #expect(try await two.content(of: response, in: nil) == nil)
    var bytes: [UInt8] = []
    try await body.drain { (piece) throws(LupineError) in bytes += piece }
    #expect(bytes == large)
    try await two.add("before", large)
    #expect(try await one.bytes("before") == large)
    #expect(try await one.size() == two.size())
  }

  @Test func `the writers of two stores leave one response of a key`() async throws {
    let (one, two) = (stage.makeStore(), stage.makeStore())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        let store = number.isMultiple(of: 2) ? one : two
        group.addTask { try await store.add("key\(number % 3)", StoreFolderStage.content(number, count: 20_000)) }
      }
      try await group.waitForAll()
    }
    for store in [one, two] {
      try await store.add("other", small)
      for key in 0..<3 { #expect(try await store.responses(for: "key\(key)").count == 1) }
    }
    #expect(stage.contents.count == 3)
  }

  @Test func `folders and files are for their owner alone`() async throws {
    let store = stage.makeStore()
    try await store.add("small", small)
    try await store.add("large", large)
    _ = try store.hashKey()
    #expect(try stage.mode(stage.path) == 0o700)
    #expect(try stage.mode(stage.path + "/contents") == 0o700)
    let files = stage.names().filter { $0 != "contents" }
    #expect(files == ["lock", "responses.sqlite", "responses.sqlite-shm", "responses.sqlite-wal", "secret"])
    for file in files.map({ "\(stage.path)/\($0)" }) + stage.contents {
      #expect(try stage.mode(file) == 0o600, "\(file)")
    }
  }

  @Test func `a response has an eighth of the size at most`() async throws {
    let store = stage.makeStore(maximumSize: 1 << 20)
    #expect(try await store.add("declared", StoreFolderStage.content(0, count: 131_073)) == nil)
    await #expect(throws: LupineError.self) {
      try await store.add("undeclared", StoreFolderStage.content(0, count: 131_073), declaresLength: false)
    }
    // The record needs room as well.
    #expect(try await store.add("exact", StoreFolderStage.content(0, count: 131_072)) == nil)
    #expect(try await store.add("fits", StoreFolderStage.content(0, count: 120_000)) != nil)
    #expect(stage.contents.count == 1)
    #expect(try await stage.makeStore(maximumSize: 0).add("none", small) == nil)
  }

  @Test func `an aborted writer leaves no file and no reservation`() async throws {
    let store = stage.makeStore(maximumSize: 1 << 20)
    for number in 0..<20 {
      let record = ResponseRecord(key: "\(number)", head: HTTPResponse(status: .ok))
      let writer = try #require(try await store.makeWriter(for: record, length: nil))
      try await writer.append(Data(repeating: 1, count: 100_000))
      #expect(stage.contents.count == 1)
      await writer.abort()
      #expect(stage.contents.isEmpty)
    }
    #expect(try await store.add("fits", StoreFolderStage.content(0, count: 120_000)) != nil)
  }
}
