import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// A stored response that a request selects.
struct Candidate: Sendable {
  let response: ParsedResponse
  let entry: ParsedEntry
  /// Whether the response was stored for another user, so that only the server can give it to this one.
  let isOfAnotherUser: Bool

  init(_ response: ParsedResponse, _ entry: ParsedEntry, isOfAnotherUser: Bool = false) {
    self.response = response
    self.entry = entry
    self.isOfAnotherUser = isOfAnotherUser
  }

  var stored: StoredResponse { response.stored }
  var head: HTTPResponse { stored.record.head }
  var metadata: EntryMetadata { entry.metadata }

  /// The fields that ask the server whether the response is still current; `nil` if it has no validator.
  ///
  /// The response of another user needs a strong one: it alone proves that the bytes are those that this user would
  /// get.
  var conditions: HTTPFields? {
    let tag = EntityTag(of: head.headerFields)
    if isOfAnotherUser { return tag.flatMap { $0.isStrong ? [.ifNoneMatch: $0.text] : nil } }
    var fields = HTTPFields()
    fields[.ifNoneMatch] = tag?.text
    fields[.ifModifiedSince] = head.headerFields.singleton(.lastModified)
    return fields.isEmpty ? nil : fields
  }

  /// The validator that proves that another part is of the same content.
  var strongValidator: StrongValidator? { StrongValidator(of: head.headerFields, now: metadata.responseTime) }

  /// The requested range, if this is a part of a response that has all of it (RFC 9111 section 3.3).
  func range(answering request: CacheableRequest) -> Range<Int64>? {
    guard let part = metadata.part, !request.isConditional,
      case .range(let range) = request.part(
        of: head, length: part.total ?? .max, arrival: metadata.responseTime), part.contains(range)
    else { return nil }
    return range
  }

  /// Whether a 304 to `conditions` is about this response (RFC 9111 section 4.3.4).
  func isValidated(by head: HTTPResponse) -> Bool {
    guard let answer = EntityTag(of: head.headerFields) else { return !head.headerFields.contains(.eTag) }
    guard let own = EntityTag(of: self.head.headerFields) else { return false }
    return isOfAnotherUser ? answer.matchesStrongly(own) : answer.matchesWeakly(own)
  }

  /// Whether the head of a response to HEAD describes the stored content (RFC 9111 section 4.3.5); `nil` if it does not
  /// say.
  func isDescribed(by other: HTTPResponse) -> Bool? {
    let names: [HTTPField.Name] = [.eTag, .lastModified, .contentLength]
    let stated = names.filter { other.headerFields.contains($0) && head.headerFields.contains($0) }
    guard stated.allSatisfy({ other.headerFields[$0] == head.headerFields[$0] }) else { return false }
    return stated.contains(.eTag) || stated.contains(.lastModified) ? true : nil
  }
}

/// The choice among the stored responses of a URL (RFC 9111 section 4.1).
struct Selection: Sendable {
  /// The response that the request selects; `nil` if there is none.
  var candidate: Candidate?
  /// Whether there are responses of the URL that the request does not select.
  var hasOthers = false
  /// The stored parts of the response for this user, whose whole the request would select.
  private(set) var parts: [Candidate] = []

  /// An empty selection.
  init() {}

  /// Adds the stored responses of a key.
  mutating func add(
    _ responses: [ParsedResponse], for request: CacheableRequest, _ hash: KeyedHash, isShared: Bool
  ) {
    for response in responses {
      guard let entry = response.entry(isShared: isShared), entry.isSelected(by: request),
        entry.metadata.isSelected(by: request, hash)
      else {
        hasOthers = true
        continue
      }
      let isForeign = !entry.metadata.isUsable(with: request.credential)
      let found = Candidate(response, entry, isOfAnotherUser: isForeign)
      if entry.metadata.part == nil {
        consider(found)
      } else if isForeign {
        hasOthers = true
      } else {
        parts.append(found)
      }
    }
  }

  /// Selects the latest part that has the requested range, unless a whole response is as recent.
  mutating func choosePart(for request: CacheableRequest) {
    let part = parts.filter { $0.range(answering: request) != nil }
      .max { $0.metadata.responseTime < $1.metadata.responseTime }
    guard let part else { return }
    if let candidate, !candidate.isOfAnotherUser, candidate.metadata.responseTime >= part.metadata.responseTime {
      return
    }
    candidate = part
  }

  /// The latest stored beginning of the response, which the rest can be joined to.
  var beginning: Candidate? {
    parts.filter { $0.metadata.part?.range.lowerBound == 0 && $0.strongValidator != nil }
      .max { $0.metadata.responseTime < $1.metadata.responseTime }
  }

  /// Keeps the better of two responses: one of the same user first, then the one that arrived last.
  private mutating func consider(_ other: Candidate) {
    if other.isOfAnotherUser, other.conditions == nil {
      hasOthers = true
      return
    }
    guard let candidate else {
      candidate = other
      return
    }
    let isBetter =
      candidate.isOfAnotherUser == other.isOfAnotherUser
      ? candidate.metadata.responseTime < other.metadata.responseTime : candidate.isOfAnotherUser
    if isBetter { self.candidate = other }
  }
}
