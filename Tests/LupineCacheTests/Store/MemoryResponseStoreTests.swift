import HTTPTypes
import LupineCore
import LupineFoundation
import LupineTesting
import Testing

@testable import LupineCache

@Suite struct MemoryResponseStoreTests {
  @Test(.timeLimit(.minutes(1)), arguments: ResponseStoreCheck.all)
  func `the store conforms`(check: ResponseStoreCheck) async throws {
    try await check.run { MemoryResponseStore(size: .megabytes(8)) }
  }

  private func add(_ store: MemoryResponseStore, _ key: String, bytes: Int) async throws -> StoredResponse? {
    let record = ResponseRecord(key: key, head: HTTPResponse(status: .ok))
    guard let writer = try await store.makeWriter(for: record, length: nil) else { return nil }
    try await writer.append(Data(count: bytes))
    return try await writer.commit(trailers: nil)
  }

  @Test func `one response takes at most an eighth of the size`() async throws {
    let store = MemoryResponseStore(size: .kilobytes(80))
    let record = ResponseRecord(key: "key", head: HTTPResponse(status: .ok))
    #expect(try await store.makeWriter(for: record, length: 10 << 10) == nil)
    #expect(try await add(store, "fits", bytes: 9 << 10) != nil)
    await #expect(throws: LupineError.self) { try await add(store, "large", bytes: (10 << 10) + 1) }
    #expect(try await store.responses(for: "large").isEmpty)
  }

  @Test func `what is being written takes at most half of the size, and stored responses give way to it`() async throws
  {
    let store = MemoryResponseStore(size: .kilobytes(80))
    let record = ResponseRecord(key: "key", head: HTTPResponse(status: .ok))
    for number in 0..<20 { _ = try await add(store, "\(number)", bytes: 3 << 10) }
    #expect(try await store.size() > 70 << 10)
    var writers: [any ResponseStoreWriter] = []
    for number in 1...5 {
      let writer = try #require(try await store.makeWriter(for: record, length: nil))
      try await writer.append(Data(count: 8 << 10))
      writers.append(writer)
      #expect(try await store.size() <= (80 - Int64(number) * 8) << 10)
    }
    let writer = try #require(try await store.makeWriter(for: record, length: nil))
    await #expect(throws: LupineError.self) { try await writer.append(Data(count: 1)) }
    await writers[0].abort()
    writers.removeFirst()
    try await writer.append(Data(count: 1))
  }

  @Test func `the size is never exceeded`() async throws {
    let store = MemoryResponseStore(size: .kilobytes(80))
    for number in 0..<100 {
      _ = try await add(store, "\(number)", bytes: 1 << (number % 13))
      #expect(try await store.size() <= 80 << 10)
    }
  }

  @Test func `a scan does not remove what is read again and again`() async throws {
    let store = MemoryResponseStore(size: .kilobytes(80))
    for number in 0..<8 {
      let stored = try #require(try await add(store, "hot \(number)", bytes: 2 << 10))
      _ = try await store.content(of: stored, in: nil)
    }
    for number in 0..<1_000 { _ = try await add(store, "scan \(number)", bytes: 2 << 10) }
    for number in 0..<8 { #expect(try await store.responses(for: "hot \(number)").count == 1) }
  }

  @Test func `a response that comes again after its removal stays longer than new ones`() async throws {
    let store = MemoryResponseStore(size: .kilobytes(80))
    for number in 0..<60 { _ = try await add(store, "\(number)", bytes: 2 << 10) }
    #expect(try await store.responses(for: "0").isEmpty)
    _ = try await add(store, "0", bytes: 2 << 10)
    for number in 100..<160 { _ = try await add(store, "\(number)", bytes: 2 << 10) }
    #expect(try await store.responses(for: "0").count == 1)
  }
}
