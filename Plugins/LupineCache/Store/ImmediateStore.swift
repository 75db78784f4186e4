import LupineCore
import LupineFoundation

/// A store that can answer from memory, so that a request does not wait for it.
protocol ImmediateStore: ResponseStore, AnyObject {
  /// Returns the stored responses of a key; `nil` if the store must be asked.
  ///
  /// A response is the same object at each call until its record changes.
  func responsesInMemory(for key: String) -> [ParsedResponse]?

  /// Returns the content as `content(of:in:)` does; `nil` if it is not in memory.
  func contentInMemory(of response: StoredResponse, in range: Range<Int64>?) -> RequestBody?

  /// Whether the store may have a response with `No-Vary-Search`.
  var mayHaveKeysWithoutQuery: Bool { get }
}

extension RequestBody {
  /// The bytes, or a part of them.
  static func bytes(_ content: Data, in range: Range<Int64>?) -> RequestBody {
    guard let range else { return .bytes(content) }
    let bounds = range.clamped(to: 0..<Int64(content.count))
    return .bytes(content.dropFirst(Int(bounds.lowerBound)).prefix(bounds.count))
  }
}
