import HTTPTypes
import LupineFoundation
import LupineSupport

/// Makes the heads that are stored and that answer requests.
enum StoredHead {
  /// Fields of one connection, and those with secrets of one user, which are not stored (RFC 9111 section 3.1).
  private static let unstored: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Fields of the content, which a 304 does not change (RFC 9111 section 3.2).
  private static let ofContent: Set<String> = ["content-encoding", "content-length", "content-range"]

  /// Returns the head as it is stored.
  ///
  /// A missing or invalid `Date` becomes the time of arrival (RFC 9110 section 6.6.1). `Set-Cookie` belongs to the one
  /// response that had it, and is not stored.
  static func storing(_ head: HTTPResponse, _ control: ResponseControl, arrival: Date) -> HTTPResponse {
    var names = unstored.union(nominated(by: head.headerFields))
    names.formUnion((control.directives.fieldNames("no-cache") ?? []).map { $0.lowercased() })
    if control.isShared { names.formUnion((control.directives.fieldNames("private") ?? []).map { $0.lowercased() }) }
    var stored = head
    stored.headerFields = HTTPFields(head.headerFields.filter { !names.contains($0.name.canonicalName) })
    if FieldDate.date(.date, in: stored.headerFields, now: arrival) == nil {
      stored.headerFields[.date] = HTTPDate.text(arrival)
    }
    return stored
  }

  /// Returns the trailers without the fields that are not stored.
  static func storing(trailers: HTTPFields?) -> HTTPFields? {
    trailers.map { HTTPFields($0.filter { !unstored.contains($0.name.canonicalName) }) }
  }

  /// The names in `Connection`.
  private static func nominated(by fields: HTTPFields) -> Set<String> {
    Set(ListField.members(fields[values: .connection]).map { $0.lowercased() })
  }

  /// Returns a stored head with the fields of a later response with the same content (RFC 9111 section 3.2).
  static func freshened(
    _ stored: HTTPResponse, by later: HTTPResponse, isShared: Bool, arrival: Date
  ) -> HTTPResponse {
    let control = ResponseControl(later, isShared: isShared)
    let update = storing(later, control, arrival: arrival).headerFields
      .filter { !ofContent.contains($0.name.canonicalName) }
    let names = Set(update.map(\.name))
    // The age belongs to the old response.
    let kept = stored.headerFields.filter { !names.contains($0.name) && $0.name != .age }
    var head = stored
    head.headerFields = HTTPFields(kept + update)
    return head
  }

  /// Returns a stored head for an answer without a validation, with its age in seconds (RFC 9111 section 5.1).
  static func answering(_ stored: HTTPResponse, age: Int64) -> HTTPResponse {
    var head = stored
    head.headerFields[.age] = String(age)
    return head
  }

  /// Returns the head of 304 (Not Modified) for a stored head (RFC 9110 section 15.4.5).
  static func notModified(_ head: HTTPResponse) -> HTTPResponse {
    let fields = head.headerFields.filter { !["content-length", "content-encoding"].contains($0.name.canonicalName) }
    return HTTPResponse(status: .notModified, headerFields: HTTPFields(fields))
  }

  /// Returns the head of the whole response that a 206 (Partial Content) has a part of.
  static func whole(_ head: HTTPResponse, length: Int64?) -> HTTPResponse {
    var head = head
    head.status = .ok
    head.headerFields[.contentRange] = nil
    head.headerFields[.contentLength] = length.map(String.init)
    return head
  }

  /// Returns the head of 206 (Partial Content) for a range of a stored response of a length, if that is known.
  static func partial(_ head: HTTPResponse, _ range: Range<Int64>, of length: Int64?) -> HTTPResponse {
    var head = head
    head.status = .partialContent
    head.headerFields[.contentLength] = String(range.upperBound - range.lowerBound)
    head.headerFields[.contentRange] = "bytes " + ContentPart.text(range, of: length)
    return head
  }
}
