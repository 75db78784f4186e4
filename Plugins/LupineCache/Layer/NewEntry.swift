import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession

/// A response of the server that is to be stored.
struct NewEntry: Sendable {
  let record: ResponseRecord
  /// The values that the cache reads from the record.
  let entry: ParsedEntry
  /// The stated length of the content.
  let length: Int64?

  /// The response as it would be stored.
  var candidate: Candidate {
    Candidate(ParsedResponse(StoredResponse(id: "", record: record, length: length ?? 0), entry), entry)
  }

  /// - Throws: `StoringRefusal` with the reason why the response is not stored.
  init(
    _ head: HTTPResponse, to original: OutgoingRequest, _ request: CacheableRequest, key: CacheKey, _ layer: CacheLayer,
    sent: Date, now: Date
  ) throws(StoringRefusal) {
    let storage = layer.storage
    let cacher = original.options[ResponseCacher.self] ?? layer.cacher
    guard let changed = cacher.change(head, original) else { throw StoringRefusal(reason: "the cacher refuses it") }
    if changed.hasContradictoryRange {
      throw StoringRefusal(reason: "its Content-Range contradicts its status or its length")
    }
    let part = ContentPart(of: changed)
    let head = part.map { StoredHead.whole(changed, length: $0.total) } ?? changed
    let control = ResponseControl(head, isShared: storage.isShared)
    if let part { try StoringRules.check(part, of: request) }
    try StoringRules.check(head, control, of: request, now: now)
    let variation = Variation(of: head.headerFields) ?? Variation(names: [])
    let hashesCredential = !control.isForEveryone || !variation.names.isEmpty
    guard storage.mayStore(request.connection), !hashesCredential || storage.mayStore(request.credential) else {
      throw StoringRefusal(
        reason: "the request has a credential or a connection of its own, and the cache has no key to hash them with")
    }
    let search = NoVarySearch(of: head.headerFields) == nil ? nil : head.headerFields[.noVarySearch]
    let metadata = EntryMetadata(
      url: original.url.string, requestTime: sent, responseTime: now, connection: request.connection,
      variation: variation, selector: variation.selector(of: request.fields, storage.hash), search: search ?? "",
      credentials: control.isForEveryone ? [] : [request.credential], part: part.flatMap { $0.isWhole ? nil : $0 })
    let stored = StoredHead.storing(head, control, arrival: now)
    entry = ParsedEntry(stored, metadata, isShared: storage.isShared)
    record = ResponseRecord(
      key: search == nil ? key.exact : key.withoutQuery, variant: metadata.variant, head: stored,
      metadata: metadata.data, retention: Retention.of(stored, entry, lifetime: request.lifetime(of: stored), now: now))
    length = part?.length ?? head.headerFields[.contentLength].flatMap { Int64($0) }
  }
}

/// The update of a stored response that the server has validated (RFC 9111 section 4.3.4).
struct Revalidation: Sendable {
  let stored: StoredResponse
  let record: ResponseRecord
  let entry: ParsedEntry
  /// Whether the response stays stored: the 304 does not forbid it, and the same requests select it as before.
  let isStored: Bool

  init(
    _ candidate: Candidate, by head: HTTPResponse, sent: Date, _ request: CacheableRequest, _ storage: CacheStorage,
    now: Date
  ) {
    let isShared = storage.isShared
    stored = candidate.stored
    var metadata = candidate.metadata
    metadata.requestTime = sent
    metadata.responseTime = now
    var record = candidate.stored.record
    record.head = StoredHead.freshened(candidate.head, by: head, isShared: isShared, arrival: now)
    if ResponseControl(record.head, isShared: isShared).isForEveryone {
      metadata.credentials = []
    } else if metadata.credentials.isEmpty {
      // It was for everyone, and is for this user now.
      metadata.credentials = [request.credential]
    } else if storage.mayStore(request.credential) {
      metadata.admit(request.credential)
    }
    record.metadata = metadata.data
    let entry = ParsedEntry(record.head, metadata, isShared: isShared)
    record.retention = Retention.of(record.head, entry, lifetime: request.lifetime(of: record.head), now: now)
    self.entry = entry
    self.record = record
    let directives = CacheDirectives(head.headerFields)
    let isForbidden = directives.contains("no-store") || isShared && directives.concernsAll("private")
    let search = NoVarySearch(of: record.head.headerFields) == nil ? nil : record.head.headerFields[.noVarySearch]
    let isSelectedAlike =
      Variation(of: record.head.headerFields) == metadata.variation && search ?? "" == metadata.search
    isStored = !isForbidden && isSelectedAlike && metadata.credentials.allSatisfy(storage.mayStore)
  }

  /// Updates the store, or removes the response; an error leaves the old one, which is validated again.
  func apply(to store: any ResponseStore) async throws(LupineError) {
    if isStored {
      _ = try await store.update(stored, to: record)
    } else {
      try await store.remove(stored)
    }
  }
}
