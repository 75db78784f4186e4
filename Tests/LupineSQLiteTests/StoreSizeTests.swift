import Foundation
import LupineCore
import Testing

@testable import LupineSQLite

@Suite struct StoreSizeTests {
  private let stage: StoreFolderStage

  init() throws { stage = try StoreFolderStage() }

  /// The bytes that the files of a folder occupy on the disk.
  private func occupied() throws -> Int64 {
    var total: Int64 = 0
    let files = try #require(FileManager.default.enumerator(atPath: stage.path)).compactMap { $0 as? String }
    for file in files {
      var status = stat()
      // SQLite's shared memory is no content, and has 32 KiB.
      if !file.hasSuffix("-shm"), lstat("\(stage.path)/\(file)", &status) == 0 {
        total += Int64(status.st_blocks) * 512
      }
    }
    return total
  }

  @Test(arguments: [200, 3_000, 9_000, 15_000, 40_000])
  func `a full store occupies no more than its size`(count: Int) async throws {
    let size: Int64 = 4 << 20
    let store = stage.makeStore(maximumSize: size)
    for number in 0..<min(3_000, 12_000_000 / (count + 2_000)) {
      let content = StoreFolderStage.content(number, count: max(0, count - number % 7 * count / 10))
      #expect(try await store.add("key \(number)", content) != nil)
      if number.isMultiple(of: 50) { #expect(try occupied() <= size) }
    }
    #expect(try occupied() <= size)
    let counted = try await store.size()
    #expect(counted <= size)
    if count >= 3_000 { #expect(counted > size / 2) }
  }

  @Test func `files take the room of rows that were removed`() async throws {
    let size: Int64 = 4 << 20
    let store = stage.makeStore(maximumSize: size)
    for number in 0..<400 { try await store.add("small \(number)", StoreFolderStage.content(number, count: 12_000)) }
    for number in 0..<40 {
      try await store.add("large \(number)", StoreFolderStage.content(number, count: 200_000))
      #expect(try occupied() <= size)
    }
    #expect(try occupied() <= size)
    #expect(try await store.bytes("large 39") == StoreFolderStage.content(39, count: 200_000))
  }

  @Test func `a smaller size than before removes responses`() async throws {
    let store = stage.makeStore(maximumSize: 4 << 20)
    for number in 0..<100 { try await store.add("key \(number)", StoreFolderStage.content(number, count: 20_000)) }
    await store.close()
    let smaller = stage.makeStore(maximumSize: 1 << 20)
    #expect(try await smaller.size() <= 1 << 20)
    #expect(stage.contents.count < 50)
  }

  @Test func `a scan does not evict what is used often`() async throws {
    let store = stage.makeStore(maximumSize: 2 << 20)
    for key in 0..<10 {
      try await store.add("used \(key)", StoreFolderStage.content(key, count: 10_000))
      for _ in 0..<3 { _ = try await store.bytes("used \(key)") }
    }
    for number in 0..<500 { try await store.add("scan \(number)", StoreFolderStage.content(number, count: 10_000)) }
    for key in 0..<10 { #expect(try await store.bytes("used \(key)") != nil) }
    #expect(try await store.bytes("scan 0") == nil)
  }
}
