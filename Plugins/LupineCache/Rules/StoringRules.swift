import HTTPTypes
import LupineCore
import LupineFoundation

/// Decides whether a response may be stored (RFC 9111 section 3).
enum StoringRules {
  /// Checks that a response may be stored.
  ///
  /// - Throws: `StoringRefusal` with the reason why it may not.
  static func check(
    _ head: HTTPResponse, _ control: ResponseControl, of request: CacheableRequest, now: Date
  ) throws(StoringRefusal) {
    if let reason = refusal(of: head, control, to: request, now) { throw StoringRefusal(reason: reason) }
  }

  private static func refusal(
    of head: HTTPResponse, _ control: ResponseControl, to request: CacheableRequest, _ now: Date
  ) -> String? {
    let directives = control.directives
    let status = head.status.code
    if request.method != .get { return "the request is not GET" }
    if !(200..<600).contains(status) || status == 206 || status == 304 { return "its status is \(status)" }
    if unstorableStatuses.contains(status) { return "a response with status \(status) is for its request alone" }
    if request.directives.contains("no-store") { return "the request has no-store" }
    if directives.isMalformed { return "Cache-Control has a quoted string without an end" }
    if directives.contains("must-understand") {
      if !understoodStatuses.contains(status) { return "must-understand, and status \(status) is not known" }
    } else if directives.contains("no-store") {
      return "the response has no-store"
    }
    if control.isShared, let reason = sharedRefusal(control, request) { return reason }
    guard request.lifetime(of: head) != nil || mayBeReused(head, status, control, now) else {
      return "it has neither a lifetime nor a validator"
    }
    return Variation(of: head.headerFields) == nil ? "Vary has *, or a member that is no name of a field" : nil
  }

  /// Checks that a part may be stored: it lies in the requested range, and its head is complete.
  ///
  /// A 206 to a request with `If-Range` need not repeat the fields of the content (RFC 9110 section 15.3.7).
  ///
  /// - Throws: `StoringRefusal` with the reason why it may not.
  static func check(_ part: ContentPart, of request: CacheableRequest) throws(StoringRefusal) {
    if request.fields.contains(.ifRange) {
      throw StoringRefusal(reason: "the request has If-Range, so the head may lack fields")
    }
    let asked = request.fields[.range].flatMap { ByteRange($0) }?.bounds(of: part.total ?? .max)
    guard let asked, part.range.clamped(to: asked) == part.range else {
      throw StoringRefusal(reason: "it has another range than requested")
    }
  }

  /// Why a shared cache must not store the response (RFC 9111 sections 3.5 and 5.2.2.7).
  private static func sharedRefusal(_ control: ResponseControl, _ request: CacheableRequest) -> String? {
    if control.directives.concernsAll("private") { return "it is private, and the cache is shared" }
    let permitsAuthorization = ["public", "must-revalidate", "s-maxage"].contains { control.directives.contains($0) }
    return request.hasAuthorization && !permitsAuthorization
      ? "the request has Authorization, and the cache is shared" : nil
  }

  /// Whether a later request could use the response: it has a lifetime, or a validator.
  private static func mayBeReused(
    _ head: HTTPResponse, _ status: Int, _ control: ResponseControl, _ now: Date
  ) -> Bool {
    if control.explicitLifetime(of: head, now) != nil { return true }
    let isHeuristic = ResponseControl.heuristicStatuses.contains(status)
    return (isHeuristic || control.directives.contains("public") || control.directives.contains("private"))
      && (head.headerFields.contains(.eTag) || head.headerFields.contains(.lastModified))
  }

  /// The statuses whose responses are never stored: those that ask for a credential, after which the request is sent
  /// again, and those of RFC 6585 and RFC 8470 (Too Early).
  private static let unstorableStatuses = [401, 407, 425, 428, 429, 431, 511]

  /// The final statuses whose caching requirements this cache implements (RFC 9110 section 15).
  private static let understoodStatuses: Set<Int> = [
    200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 307, 308, 400, 402, 403, 404, 405, 406, 408, 409, 410,
    411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
  ]
}

/// Why a response is not stored.
struct StoringRefusal: Error {
  let reason: String

  init(reason: String) { self.reason = reason }

  /// The failure of the store.
  init(_ error: LupineError) { reason = error.message }

  static let changed = StoringRefusal(reason: "another request has changed the resource")
}
