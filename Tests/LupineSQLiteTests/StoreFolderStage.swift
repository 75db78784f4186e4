import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineSQLite

/// A folder for stores, with the contents that a test expects.
final class StoreFolderStage: Sendable {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The path of the store's folder.
  var path: String { folder.file("store") }
  var database: String { path + "/responses.sqlite" }
  /// The paths of the files with contents, sorted.
  var contents: [String] { names("contents").map { "\(path)/contents/\($0)" } }

  func makeStore(maximumSize: Int64 = 32 << 20) -> SQLiteStore {
    SQLiteStore(at: path, maximumSize: .bytes(maximumSize))
  }

  /// The names in a folder of the store, sorted.
  func names(_ subfolder: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(subfolder)")) ?? []).sorted()
  }

  func mode(_ path: String) throws -> Int {
    try unwrapped(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  /// Changes bytes of a file.
  func change(_ path: String, _ change: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(filePath: path))
    change(&data)
    // Not atomically: the file stays the same.
    try data.write(to: URL(filePath: path))
  }

  /// The bytes that a content of this number has.
  static func content(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ number &* 7) }
  }
}

/// Returns the value, or throws an error if there is none.
private func unwrapped<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw CocoaError(.fileReadUnknown) }
  return value
}

extension SQLiteStore {
  /// Stores a response and returns it.
  @discardableResult
  func add(
    _ key: String, variant: String = "", _ content: [UInt8], declaresLength: Bool = true
  ) async throws -> StoredResponse? {
    let record = ResponseRecord(
      key: key, variant: variant, head: HTTPResponse(status: .ok, headerFields: [.eTag: "\"\(content.count)\""]),
      metadata: Data(key.utf8))
    guard let writer = try await makeWriter(for: record, length: declaresLength ? Int64(content.count) : nil) else {
      return nil
    }
    for start in stride(from: 0, to: content.count, by: 100_000) {
      try await writer.append(Data(content[start..<min(start + 100_000, content.count)]))
    }
    return try await writer.commit(trailers: nil)
  }

  /// The content of the only response of a key; `nil` if there is none.
  func bytes(_ key: String, in range: Range<Int64>? = nil) async throws -> [UInt8]? {
    guard let response = try await responses(for: key).first else { return nil }
    return try await bytes(of: response, in: range)
  }

  /// The content of a response; `nil` if it was removed.
  func bytes(of response: StoredResponse, in range: Range<Int64>? = nil) async throws -> [UInt8]? {
    guard let body = try await content(of: response, in: range) else { return nil }
    var bytes: [UInt8] = []
    try await body.drain { (piece) throws(LupineError) in bytes += piece }
    return bytes
  }
}
