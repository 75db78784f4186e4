import HTTPTypes
public import LupineCore
import LupineFoundation

/// One requirement for every `ResponseStore`, as a value that can be run.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1)), arguments: ResponseStoreCheck.all)
/// func `the store conforms`(check: ResponseStoreCheck) async throws {
///   try await check.run { MemoryStore() }
/// }
/// ```
public struct ResponseStoreCheck: Sendable, Identifiable, CustomStringConvertible {
  /// The requirement as a sentence, which is unique among the checks.
  public let name: String
  private let body: @Sendable (ResponseStoreStage) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (ResponseStoreStage) async throws -> Void) {
    self.name = name
    self.body = body
  }

  /// The name.
  public var id: String { name }
  /// The name.
  public var description: String { name }

  /// Runs the check on a store that is empty and has room for 1 MiB in 20 responses.
  ///
  /// - Parameter makeStore: makes the store; called once, by the calling task.
  /// - Throws: ``ConformanceFailure`` if the store violates the requirement, or the error of the store.
  public func run(on makeStore: () async throws -> any ResponseStore) async throws {
    try await body(ResponseStoreStage(check: name, store: try await makeStore()))
  }
}

/// The store that a check examines.
struct ResponseStoreStage: Sendable {
  let check: String
  let store: any ResponseStore

  static func record(_ key: String, variant: String = "", _ metadata: String = "") -> ResponseRecord {
    ResponseRecord(
      key: key, variant: variant, head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]),
      metadata: Data(metadata.utf8))
  }

  func expect<Value: Equatable>(_ what: String, _ value: Value, _ expected: Value) throws {
    guard value == expected else {
      throw ConformanceFailure(
        check: check, subject: "The store", what: what, expected: "\(expected)", got: "\(value)")
    }
  }

  /// Stores a response, its content in pieces.
  @discardableResult
  func add(
    _ record: ResponseRecord, _ pieces: [String], trailers: HTTPFields? = nil
  ) async throws -> StoredResponse {
    let writer = try await writer(for: record)
    for piece in pieces { try await writer.append(Data(piece.utf8)) }
    return try found("the result of commit", try await writer.commit(trailers: trailers))
  }

  func writer(for record: ResponseRecord) async throws -> any ResponseStoreWriter {
    try found("the writer", try await store.makeWriter(for: record, length: nil))
  }

  /// The contents of a key's responses, by variant.
  func contents(_ key: String) async throws -> [String: String] {
    var contents: [String: String] = [:]
    for response in try await store.responses(for: key) {
      contents[response.record.variant] = try await text(of: response)
    }
    return contents
  }

  /// The content of a response; `nil` if the store has it no more.
  func text(of response: StoredResponse, in range: Range<Int64>? = nil) async throws -> String? {
    guard let content = try await store.content(of: response, in: range) else { return nil }
    return String(decoding: try await Self.bytes(of: content), as: UTF8.self)
  }

  /// Reads a content to its end.
  static func bytes(of content: RequestBody) async throws(LupineError) -> Data {
    let context = TransferContext(id: RequestID(1)) { _ in .collect(limit: 1 << 20) }
    let response = try await context.makeResponse(HTTPResponse(status: .ok), content: content)
    return try await response.body.end().data
  }

  func found<Value>(_ what: String, _ value: Value?) throws -> Value {
    guard let value else {
      throw ConformanceFailure(check: check, subject: "The store", what: what, expected: "a value", got: "nil")
    }
    return value
  }
}
