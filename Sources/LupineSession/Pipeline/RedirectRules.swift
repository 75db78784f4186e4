import HTTPTypes
import LupineCore
import LupineSupport

/// Builds the request after a redirect (RFC 9110 section 15.4), without secrets across origins.
struct RedirectRules {
  let secrets: SecretFields
  let limits: Limits
  var allowsDowngrade = false

  static func isRedirect(_ head: HTTPResponse, _ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: head.headerFields.contains(.location)
    default: false
    }
  }

  /// The request that the redirect leads to.
  ///
  /// - Throws: `LupineError` of kind `redirectFailed` if the `Location` cannot be followed, and kind `limitExceeded` if
  ///   there are too many redirects.
  func next(
    after head: HTTPResponse, to request: OutgoingRequest, visited: [HTTPURL]
  ) throws(LupineError) -> OutgoingRequest {
    var next = request.moved(to: try target(head, request), secrets: secrets)
    guard visited.count <= limits.redirects else { throw tooMany(visited, next.url) }
    try changeMethod(&next, head.status.code)
    return next
  }

  /// The request without the secrets and the `Host` of the previous one, if a redirector changed the origin.
  ///
  /// Its options for the previous origin alone are removed, too.
  /// Fields that the redirector itself set for that origin stay.
  func withoutStraySecrets(_ next: OutgoingRequest, from request: OutgoingRequest) -> OutgoingRequest {
    guard next.url.origin != request.url.origin else { return next }
    var next = next
    next.dropOptionsOfOrigin()
    for name in Set(next.headers.map(\.name)) where secrets.contains(name) || name == .host {
      let carried = Set(request.headers[values: name])
      next.headers[values: name].removeAll { carried.contains($0) }
    }
    return next
  }

  /// Whether a field is removed together with the body.
  private static func describesBody(_ name: HTTPField.Name) -> Bool {
    name.canonicalName.hasPrefix("content-")
      || ["digest", "repr-digest", "last-modified", "idempotency-key"].contains(name.canonicalName)
  }

  private func tooMany(_ visited: [HTTPURL], _ target: HTTPURL) -> LupineError {
    var message = "The server redirected more than \(limits.redirects) times, the limit redirects."
    if let start = visited.lastIndex(of: target) {
      let circle = (visited[start...] + [target]).map(\.redacted).joined(separator: " → ")
      message += " It goes in a circle: \(circle)."
    }
    return LupineError(.limitExceeded(.redirects), message)
  }

  private func target(_ head: HTTPResponse, _ request: OutgoingRequest) throws(LupineError) -> HTTPURL {
    let url: HTTPURL
    do throws(LupineError) {
      url = try request.url.resolving(location: try head.locationReference())
    } catch {
      throw LupineError(.redirectFailed, "The redirect cannot be followed: \(error.message)", underlying: error)
    }
    guard request.url.scheme == .http || url.scheme == .https || allowsDowngrade else {
      throw LupineError(.redirectFailed, "The server redirects from https to http, which would expose the request.")
    }
    return url
  }

  private func changeMethod(_ next: inout OutgoingRequest, _ status: Int) throws(LupineError) {
    let becomesGet = status == 303 && next.method != .head || (status == 301 || status == 302) && next.method == .post
    if becomesGet {
      next.method = .get
      next.body = .none
      next.options.expectsContinue = false
      for field in next.headers where Self.describesBody(field.name) { next.headers[field.name] = nil }
    } else if !next.body.isReplayable {
      throw LupineError(
        .redirectFailed, "The server redirects with status \(status), and the request's body can be sent only once.")
    }
  }
}

extension HTTPResponse {
  /// Returns the reference in `Location` (RFC 9110 section 10.2.2); equal fields count as one.
  ///
  /// Bytes that are not UTF-8 are percent-encoded as they came, as browsers do.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` if there is no such field, or if there are different ones.
  func locationReference() throws(LupineError) -> String {
    let references = headerFields[fields: .location].map { $0.withUnsafeBytesOfValue(Self.reference) }
    guard let first = references.first else { throw LupineError(.invalidURL, "The response has no Location.") }
    guard references.dropFirst().allSatisfy({ $0 == first }) else {
      throw LupineError(
        .invalidURL,
        "The response has \(references.count) Location fields that differ, and no rule says which one holds.")
    }
    return first
  }

  private static func reference(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var encoded: [UInt8] = []
    for byte in bytes {
      if byte < 0x80 { encoded.append(byte) } else { PercentCoding.append(byte, to: &encoded) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
