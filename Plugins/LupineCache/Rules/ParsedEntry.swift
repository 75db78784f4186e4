import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// The values that a private or a shared cache reads from the record of a stored response.
final class ParsedEntry: Sendable {
  let metadata: EntryMetadata
  let control: ResponseControl
  private let head: HTTPResponse
  /// The head of the last answer, with its age in seconds.
  ///
  /// All answers within one second have the same head.
  private let lastAnswer: Mutex<(age: Int64, head: HTTPResponse)?>
  /// The rule that ignores parameters of the query (`No-Vary-Search`); `nil` if the whole query counts.
  let search: NoVarySearch?
  /// The age when the response arrived (RFC 9111 section 4.2.3), in seconds.
  let initialAge: Double
  /// The lifetime that follows from the response alone, in seconds; 0 if nothing determines one.
  let lifetime: Double

  init(_ head: HTTPResponse, _ metadata: EntryMetadata, isShared: Bool) {
    self.head = head
    self.metadata = metadata
    lastAnswer = Mutex(nil)
    control = ResponseControl(head, isShared: isShared)
    search = metadata.search.isEmpty ? nil : NoVarySearch(metadata.search)
    initialAge = Freshness.initialAge(of: head, metadata)
    lifetime = control.lifetime(of: head, metadata.responseTime) ?? 0
  }

  /// Reads the record of a response; `nil` if its metadata are not of this version.
  convenience init?(_ record: ResponseRecord, isShared: Bool) {
    guard let metadata = EntryMetadata(record.metadata) else { return nil }
    self.init(record.head, metadata, isShared: isShared)
  }

  /// Returns the head for an answer without a validation, with its age in seconds (RFC 9111 section 5.1).
  func head(age: Double) -> HTTPResponse {
    let age = Int64(min(max(0, age), DeltaSeconds.maximum))
    if let last = lastAnswer.withLock({ $0 }), last.age == age { return last.head }
    let made = StoredHead.answering(head, age: age)
    lastAnswer.withLock { $0 = (age, made) }
    return made
  }

  /// Whether a request whose URL differs at most in its query selects the response.
  func isSelected(by request: CacheableRequest) -> Bool {
    guard let search else { return true }
    return search.canonical(request.url.query) == search.canonical(metadata.query)
  }
}

/// A stored response whose record is parsed at its first use.
final class ParsedResponse: Sendable {
  let stored: StoredResponse
  private let known: Mutex<ParsedEntry?>

  /// - Parameter entry: what the record says, if it was read before. Default: `nil`.
  init(_ stored: StoredResponse, _ entry: ParsedEntry? = nil) {
    self.stored = stored
    known = Mutex(entry)
  }

  /// The record as a private or a shared cache reads it; `nil` if its metadata are not of this version.
  func entry(isShared: Bool) -> ParsedEntry? {
    if let known = known.withLock({ $0 }), known.control.isShared == isShared { return known }
    guard let entry = ParsedEntry(stored.record, isShared: isShared) else { return nil }
    known.withLock { $0 = entry }
    return entry
  }
}
