import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The values that the cache reads from a request.
struct CacheableRequest: Sendable {
  private let request: OutgoingRequest
  private let read: RequestFields
  let policy: CachePolicy
  private let lifetime: CacheLifetime?
  /// Whether a retrier sends the request again.
  let isRetry: Bool
  /// The keyed hash of the connection key.
  let connection: String

  init(_ request: OutgoingRequest, _ fields: RequestFields, connection: String, isRetry: Bool) {
    self.isRetry = isRetry
    self.request = request
    read = fields
    policy = request.options[CachePolicy.self]
    lifetime = request.options[CacheLifetime.self]
    self.connection = connection
  }

  /// The lifetime of a stored response that the caller has set, in seconds.
  func lifetime(of head: HTTPResponse) -> Double? { lifetime?.seconds(for: head.status.code) }

  var url: HTTPURL { request.url }
  var method: HTTPRequest.Method { request.method }
  var fields: HTTPFields { request.headers }
  var directives: CacheDirectives { read.directives }
  /// The keyed hash of the credentials.
  var credential: String { read.credential }
  var hasAuthorization: Bool { read.hasAuthorization }
  /// Whether the request has a condition of the caller (RFC 9110 section 13.1), without `If-Range`.
  var isConditional: Bool { read.isConditional }
  /// Whether the request has a condition that only the server evaluates.
  var hasServerCondition: Bool { read.hasServerCondition }

  /// Whether the caller wants no request to the server.
  var wantsStoredAlone: Bool { policy == .onlyStored || directives.contains("only-if-cached") }

  /// Whether the request wants the whole response, unconditionally.
  var wantsWhole: Bool { method == .get && !isConditional && !read.hasRange }

  /// Whether the caller's conditions say that it has this response (RFC 9111 section 4.3.2).
  func isNotModified(_ head: HTTPResponse, arrival: Date) -> Bool {
    if fields.contains(.ifNoneMatch) {
      if let tag = EntityTag(of: head.headerFields) { return tag.isListed(in: fields, .ifNoneMatch) }
      return ListField.members(fields[values: .ifNoneMatch]) == ["*"]
    }
    guard let since = FieldDate.date(.ifModifiedSince, in: fields, now: arrival) else { return false }
    let modified =
      FieldDate.date(.lastModified, in: head.headerFields, now: arrival)
      ?? FieldDate.date(.date, in: head.headerFields, now: arrival) ?? arrival
    return modified <= since
  }

  /// Returns the part of a whole stored response that answers the request.
  func part(of head: HTTPResponse, length: Int64, arrival: Date) -> RequestedPart {
    guard read.hasRange, method == .get, let text = fields[.range], head.status == .ok else { return .whole }
    guard !head.headerFields.contains(.contentRange), let range = ByteRange(text) else { return .unknown }
    guard isRangeWanted(of: head, arrival) else { return .whole }
    return range.bounds(of: length).map { .range($0) } ?? .unknown
  }

  /// Evaluates `If-Range` (RFC 9110 section 13.1.5).
  private func isRangeWanted(of head: HTTPResponse, _ arrival: Date) -> Bool {
    guard let condition = fields[.ifRange] else { return true }
    if let tag = EntityTag(of: [.eTag: condition]), tag.isStrong {
      return EntityTag(of: head.headerFields)?.matchesStrongly(tag) ?? false
    }
    return head.headerFields.singleton(.lastModified) == condition && FieldDate.parse(condition, now: arrival) != nil
  }
}

/// The part of a stored response that answers a request.
enum RequestedPart: Sendable, Equatable {
  case whole
  case range(Range<Int64>)
  /// The server answers, such as for several ranges.
  case unknown
}

/// One range of bytes in `Range` (RFC 9110 section 14.1.2).
struct ByteRange: Sendable, Equatable {
  private let first: Int64?
  private let last: Int64?

  /// Reads a field with one range; `nil` for several ranges, another unit or an invalid range.
  init?(_ text: String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].trimmingBlanks().lowercased() == "bytes" else { return nil }
    let ends = parts[1].trimmingBlanks().split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return nil }
    if let first, let last, last < first { return nil }
    guard first != nil || last != nil else { return nil }
    (self.first, self.last) = (first, last)
  }

  /// The number; `.some(nil)` for an empty text, `nil` for an invalid one.
  private static func number(_ text: Substring) -> Int64?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy(\.isDigit), let number = Int64(text) else { return nil }
    return number
  }

  /// The bytes of a content of a length; `nil` if the range has none of them.
  func bounds(of length: Int64) -> Range<Int64>? {
    guard let first else {
      guard let last, last > 0, length > 0 else { return nil }
      return max(0, length - last)..<length
    }
    guard first < length else { return nil }
    return first..<(min(last ?? length - 1, length - 1) + 1)
  }
}
