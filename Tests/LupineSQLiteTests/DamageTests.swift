import Foundation
import LupineCore
import LupineFixtures
import Testing

@testable import LupineSQLite

@Suite struct DamageTests {
  private let stage: StoreFolderStage
  private let contents = (0..<4).map { StoreFolderStage.content($0, count: 300 + 500 * $0) }
  private let large = StoreFolderStage.content(9, count: 200_000)

  init() throws { stage = try StoreFolderStage() }

  /// Stores the contents, and closes the store if the log is to be written back.
  private func fill(isClosed: Bool) async throws -> SQLiteStore {
    let store = stage.makeStore()
    for (key, content) in contents.enumerated() { try await store.add("key \(key)", content) }
    try await store.add("large", large)
    if isClosed { await store.close() }
    return store
  }

  /// Opens the damaged store, checks that each response is missing or what was stored, and that a new one is stored.
  ///
  /// - Returns: the number of responses that were found.
  private func check(_ what: Comment) async throws -> Int {
    let store = stage.makeStore()
    var found = 0
    for (key, content) in contents.enumerated() {
      guard let bytes = try await store.bytes("key \(key)") else { continue }
      #expect(bytes == content, what)
      found += 1
    }
    if let bytes = try await store.bytes("large") {
      #expect(bytes == large, what)
      found += 1
    }
    #expect(try await store.add("new", contents[0]) != nil, what)
    #expect(try await store.bytes("new") == contents[0], what)
    _ = try await store.size()
    await store.close()
    return found
  }

  /// Runs the checks on copies of the folder, one for each place of a file.
  private func forEachPlace(
    of file: String, every step: Int, _ change: (inout Data, Int) -> Void
  ) async throws -> [Int] {
    let saved = stage.folder.file("saved")
    try FileManager.default.copyItem(atPath: stage.path, toPath: saved)
    let length = try Data(contentsOf: URL(filePath: "\(saved)/\(file)")).count
    var found: [Int] = []
    for place in stride(from: 0, to: length, by: step) {
      try? FileManager.default.removeItem(atPath: stage.path)
      try FileManager.default.copyItem(atPath: saved, toPath: stage.path)
      try stage.change("\(stage.path)/\(file)") { change(&$0, place) }
      found.append(try await check("\(file) at \(place)"))
    }
    return found
  }

  @Test(.timeLimit(.minutes(1))) func `flipped bytes of the database lead to no wrong response and no error`()
    async throws
  {
    _ = try await fill(isClosed: true)
    let found = try await forEachPlace(of: "responses.sqlite", every: 256) { data, place in
      for index in place..<min(place + 256, data.count) { data[index] ^= 0xFF }
    }
    #expect(found.contains(5))
    #expect(found.contains { $0 < 5 })
  }

  @Test(.timeLimit(.minutes(1))) func `single flipped bits of the database lead to no wrong response and no error`()
    async throws
  {
    _ = try await fill(isClosed: true)
    _ = try await forEachPlace(of: "responses.sqlite", every: 509) { data, place in
      data[place] ^= 1 << UInt8(place % 8)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a database that was cut leads to no wrong response and no error`() async throws {
    _ = try await fill(isClosed: true)
    let found = try await forEachPlace(of: "responses.sqlite", every: 1_000) { data, place in
      data.removeSubrange(place...)
    }
    #expect(found.contains(0))
  }

  @Test(.timeLimit(.minutes(1))) func `a log that was damaged or cut leads to no wrong response and no error`()
    async throws
  {
    // The log still has the responses while the store is open.
    let store = try await fill(isClosed: false)
    let found = try await forEachPlace(of: "responses.sqlite-wal", every: 1_777) { data, place in
      if place.isMultiple(of: 2) { data.removeSubrange(place...) } else { data[place] ^= 0xFF }
    }
    // Each place is before the end of the last transaction.
    #expect(found.first == 0)
    #expect(found.last == 4)
    await store.close()
  }

  @Test func `a damaged block fails the body before its first byte, and removes the response`() async throws {
    for place in stride(from: 0, to: 200_000, by: 9_999) {
      let store = try await fill(isClosed: false)
      let response = try #require(try await store.responses(for: "large").first)
      try stage.change(stage.contents[0]) { $0[place] ^= 0x10 }
      let body = try #require(try await store.content(of: response, in: nil))
      var bytes: [UInt8] = []
      let error = await #expect(throws: LupineError.self) {
        try await body.drain { (piece) throws(LupineError) in bytes += piece }
      }
      #expect(error?.kind == .bodyFailed)
      #expect(bytes == Array(large[..<bytes.count]))
      #expect(try await store.responses(for: "large") == [])
      #expect(stage.contents.isEmpty)
      await store.close()
    }
  }

  @Test func `a range without the damaged block is read`() async throws {
    let store = try await fill(isClosed: false)
    let response = try #require(try await store.responses(for: "large").first)
    try stage.change(stage.contents[0]) { $0[70_000] ^= 1 }
    #expect(try await store.bytes(of: response, in: 0..<60_000) == Array(large[..<60_000]))
    #expect(try await store.bytes(of: response, in: 140_000..<150_000) == Array(large[140_000..<150_000]))
    await #expect(throws: LupineError.self) { try await store.bytes(of: response, in: 66_000..<67_000) }
  }

  @Test(arguments: [0, 1, 65_536, 199_999, 200_001])
  func `a content file of another length is a missing response`(length: Int) async throws {
    let store = try await fill(isClosed: false)
    try stage.change(stage.contents[0]) { data in
      data = data.prefix(length) + Data(count: max(0, length - data.count))
    }
    let response = try #require(try await store.responses(for: "large").first)
    #expect(try await store.content(of: response, in: nil) == nil)
    #expect(try await store.responses(for: "large") == [])
  }

  @Test func `a content that was cut while it is read fails`() async throws {
    let store = try await fill(isClosed: false)
    let response = try #require(try await store.responses(for: "large").first)
    let body = try #require(try await store.content(of: response, in: nil))
    try stage.change(stage.contents[0]) { $0 = $0.prefix(100_000) }
    await #expect(throws: LupineError.self) { try await body.drain { (_) throws(LupineError) in } }
  }

  @Test func `files without a row and rows without a file are removed when the store is opened`() async throws {
    _ = try await fill(isClosed: true)
    try FileManager.default.moveItem(atPath: stage.contents[0], toPath: stage.path + "/contents/00000000000000ff")
    let store = stage.makeStore()
    #expect(try await store.responses(for: "large") == [])
    #expect(stage.contents.isEmpty)
    #expect(try await store.bytes("key 0") == contents[0])
  }
}
