import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineSQLite

/// Calls of a store, and the check of what they leave.
enum StoreScript {
  private static let maximumSize = CacheSize.kilobytes(512)

  /// Adds, replaces, updates and removes responses.
  ///
  /// An error of the store ends a call alone.
  ///
  /// - Parameter note: called with each fact that a later process must find.
  /// - Returns: the writers, which may still be read.
  @discardableResult
  static func run(_ folder: String, _ note: (String) -> Void) async -> [any ResponseStoreWriter] {
    var writers: [any ResponseStoreWriter] = []
    let store = SQLiteStore(at: folder, maximumSize: maximumSize)
    _ = try? store.hashKey()
    if await add("small", 1, count: 900, to: store, &writers) { note("small 1") }
    if await add("large", 2, count: 50_000, to: store, &writers) { note("large 2") }
    if await add("removed", 3, count: 40_000, to: store, &writers) { note("removed 3") }
    if await add("small", 4, count: 12_000, to: store, &writers) { note("small 4") }
    if await add("large", 5, count: 45_000, to: store, &writers) { note("large 5") }
    if let response = try? await store.responses(for: "small").first {
      var record = response.record
      record.head.headerFields[.age] = "1"
      _ = try? await store.update(response, to: record)
    }
    note("removes removed")
    _ = try? await store.removeAll(for: "removed")
    note("evicts")
    for number in 10..<19 { _ = await add("filler \(number)", number, count: 55_000, to: store, &writers) }
    await store.close()
    return writers
  }

  /// Checks that every response is what was stored, that the facts hold, and that each file belongs to a response.
  static func check(_ folder: String, _ facts: [String]) async {
    let store = SQLiteStore(at: folder, maximumSize: maximumSize)
    do {
      var found: [String: Int] = [:]
      var files = 0
      for key in ["small", "large", "removed"] + (10..<19).map({ "filler \($0)" }) {
        let responses = try await store.responses(for: key)
        if responses.count > 1 { print("wrong: \(responses.count) responses of \(key)") }
        for response in responses {
          found[key] = try await number(of: response, in: store)
          if found[key] == nil { print("wrong: \(key) has no content") }
          if response.length > 16 << 10 { files += 1 }
        }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/contents")
      if names.count != files { print("wrong: \(names.count) files of \(files) responses") }
      let others = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("aside") }
      if !others.isEmpty { print("wrong: moved aside: \(others)") }
      check(facts, found)
      if await !add("after", 30, count: 30_000, to: store) { print("wrong: stores no more") }
      if try store.hashKey()?.count != 32 { print("wrong: the secret") }
    } catch {
      print("wrong: \(error)")
    }
    await store.close()
  }

  /// Adds, reads and removes responses in a random order that the seed decides.
  static func share(_ folder: String, seed: UInt64) async {
    let store = SQLiteStore(at: folder, maximumSize: maximumSize)
    var random = SplitMix(seed: seed)
    var (added, read) = (0, 0)
    for number in 0..<150 {
      let key = "key \(Int.random(in: 0..<8, using: &random))"
      do {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try await store.removeAll(for: key)
        case 1..<4:
          let count = Int.random(in: 0..<40_000, using: &random)
          if await add(key, number, count: count, to: store) { added += 1 }
        default:
          for response in try await store.responses(for: key) {
            if try await Self.number(of: response, in: store) != nil { read += 1 }
          }
        }
      } catch {
        print("wrong: \(error)")
      }
    }
    await store.close()
    print("added \(added > 20 ? "many" : "\(added)"), read \(read > 20 ? "many" : "\(read)")")
  }

  /// Stores responses until the disk has no room for more, reads them, and removes them.
  ///
  /// The disk has fewer bytes than the store may use.
  static func fill(_ folder: String) async {
    let store = SQLiteStore(at: folder, maximumSize: .megabytes(8))
    var stored: [Int] = []
    var refused = 0
    for number in 0..<100 {
      // Every third is small, and so in the database.
      let count = number.isMultiple(of: 3) ? 9_000 : 120_000
      if await add("key \(number)", number, count: count, to: store) { stored.append(number) } else { refused += 1 }
    }
    if stored.count < 10 || refused < 10 { print("wrong: stored \(stored.count), refused \(refused)") }
    for store in [store, SQLiteStore(at: folder, maximumSize: .megabytes(8))] {
      do {
        var files = 0
        for number in stored {
          guard let response = try await store.responses(for: "key \(number)").first else {
            print("wrong: \(number) is missing")
            continue
          }
          if try await Self.number(of: response, in: store) != number { print("wrong: the content of \(number)") }
          if response.length > 16 << 10 { files += 1 }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/contents")
        if names.count != files { print("wrong: \(names.count) files of \(files) responses") }
      } catch {
        print("wrong: \(error)")
      }
    }
    do { try await store.removeAll { _ in true } } catch { print("wrong: \(error)") }
    if await !add("after", 200, count: 120_000, to: store) { print("wrong: stores no more after room was made") }
    await store.close()
    print("done")
  }

  /// Fills a store to its size and the disk beside it, and checks that the store keeps its responses.
  static func crowd(_ folder: String) async {
    let store = SQLiteStore(at: folder, maximumSize: .megabytes(1))
    for number in 0..<60 { _ = await add("key \(number)", number, count: 40_000, to: store) }
    do {
      let before = try await store.size()
      for number in 100..<140 {
        fillDisk(beside: folder)
        _ = await add("key \(number)", number, count: 40_000, to: store)
      }
      let after = try await store.size()
      // One response may have been removed before the disk was seen to be full.
      if before < 500_000 || after < before - 50_000 { print("wrong: \(after) bytes of \(before) are left") }
      try FileManager.default.removeItem(atPath: folder + "-filler")
      for number in 200..<240 where await !add("key \(number)", number, count: 40_000, to: store) {
        print("wrong: \(number) is not stored")
      }
    } catch {
      print("wrong: \(error)")
    }
    await store.close()
    print("done")
  }

  /// Appends to a file until the disk is full.
  private static func fillDisk(beside folder: String) {
    let file = open(folder + "-filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4_096)
    while write(file, bytes, bytes.count) == bytes.count {}
    close(file)
  }

  /// Checks that a response is found that was stored, or a later one.
  private static func check(_ facts: [String], _ found: [String: Int]) {
    guard !facts.contains("evicts") else { return }
    var expected: [String: Int] = [:]
    for words in facts.map({ $0.split(separator: " ").map(String.init) }) where words.count == 2 {
      expected[words[0] == "removes" ? words[1] : words[0]] = Int(words[1])
    }
    for (key, number) in expected where found[key] ?? 0 < number {
      print("wrong: \(key) has \(found[key].map { "\($0)" } ?? "no response"), and not \(number)")
    }
  }

  /// Reads a response, and returns the number with which it was stored; `nil` if it was removed.
  private static func number(of response: StoredResponse, in store: SQLiteStore) async throws -> Int? {
    let words = String(decoding: response.record.metadata, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    guard words.count == 2, let body = try await store.content(of: response, in: nil) else { return nil }
    var bytes: [UInt8] = []
    try await body.drain { (piece) throws(LupineError) in bytes += piece }
    if bytes != content(words[0], count: words[1]) { print("wrong: other bytes of \(response.record.key)") }
    return words[0]
  }

  /// Stores a response; returns whether it was stored.
  private static func add(_ key: String, _ number: Int, count: Int, to store: SQLiteStore) async -> Bool {
    var writers: [any ResponseStoreWriter] = []
    return await add(key, number, count: count, to: store, &writers)
  }

  /// Stores a response, and keeps its writer; returns whether it was stored.
  private static func add(
    _ key: String, _ number: Int, count: Int, to store: SQLiteStore, _ writers: inout [any ResponseStoreWriter]
  ) async -> Bool {
    // The odd ones do not state their length.
    let length = number.isMultiple(of: 2) ? Int64(count) : nil
    guard let writer = try? await store.makeWriter(for: record(key, number, count: count), length: length) else {
      return false
    }
    writers.append(writer)
    let bytes = content(number, count: count)
    do {
      for start in stride(from: 0, to: count, by: 40_000) {
        try await writer.append(Data(bytes[start..<min(start + 40_000, count)]))
      }
      return try await writer.commit(trailers: nil) != nil
    } catch {
      await writer.abort()
      return false
    }
  }

  private static func record(_ key: String, _ number: Int, count: Int) -> ResponseRecord {
    ResponseRecord(
      key: key, head: HTTPResponse(status: .ok, headerFields: [.age: "0"]),
      metadata: Data("\(number) \(count)".utf8))
  }

  /// The bytes of a response, eight at a time: the process is a debug build.
  private static func content(_ number: Int, count: Int) -> [UInt8] {
    let words = (0...count / 8).map { $0 &* 0x0101_0001 &+ number << 48 }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }
}
