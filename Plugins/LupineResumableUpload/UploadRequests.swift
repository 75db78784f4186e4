import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport

/// Makes the requests of one upload from the program's request.
struct UploadRequests: Sendable {
  let dialect: UploadDialect
  /// The program's request, with what the session's adapters have added.
  let original: OutgoingRequest

  /// The request that creates the upload.
  ///
  /// - Parameters:
  ///   - body: the body of the upload, also if this request has no content.
  ///   - digest: the SHA-256 digest of the upload, if it is sent.
  func create(
    _ content: UploadState.Content, of body: RequestBody, digest: Data?
  ) throws(LupineError) -> OutgoingRequest {
    var request = original
    request.body = content == .whole ? body : .bytes(Data())
    addVersion(to: &request)
    if let length = body.length { request.headers[.uploadLength] = "\(length)" }
    if dialect == .tus {
      guard body.length != nil else {
        throw LupineError(
          .invalidRequest, "tus needs the length of the body, which is not known; write the body to a file first.")
      }
      moveTypeToMetadata(of: &request)
    } else {
      request.headers[.uploadComplete] = content == .whole ? "?1" : "?0"
      if let digest { request.headers[.reprDigest] = "sha-256=:\(digest.base64EncodedString()):" }
    }
    return request
  }

  /// The request for what a server of tus supports, at the URL of the program's request.
  func discovery() -> OutgoingRequest {
    var request = bare(.options, original.url)
    // The answer names the versions of the server, so the request names none.
    request.headers[.tusResumable] = nil
    return request
  }

  /// The request for the offset.
  func query(_ location: HTTPURL) -> OutgoingRequest {
    var request = bare(.head, location)
    // A stored response may state an earlier offset.
    request.headers[.cacheControl] = "no-store, no-cache"
    return request
  }

  /// The request that appends a part.
  ///
  /// - Parameter checksum: the value of `Upload-Checksum`, if it is sent.
  func append(
    _ part: UploadPart, of body: RequestBody, to location: HTTPURL, checksum: String?
  ) -> OutgoingRequest {
    var request = bare(.patch, location)
    request.options.expectsContinue = original.options.expectsContinue
    request.body = body
    request.headers[.contentType] = dialect.partType
    request.headers[.uploadOffset] = "\(part.offset)"
    if dialect != .tus { request.headers[.uploadComplete] = part.isLast ? "?1" : "?0" }
    request.headers[.uploadChecksum] = checksum
    return request
  }

  /// The request that deletes the upload.
  func delete(_ location: HTTPURL) -> OutgoingRequest { bare(.delete, location) }

  /// Whether a redirect of a request to the location is followed: others may change the method (RFC 9110 section 15.4).
  static let permits: PermittedRedirects.Value = { [307, 308].contains($0.status.code) }

  /// A request to the location, without content and without the fields that describe it.
  private func bare(_ method: HTTPRequest.Method, _ location: HTTPURL) -> OutgoingRequest {
    var request = original
    // The state admits only origins that may receive the secrets.
    request.url = location
    if location.origin != original.url.origin { request.headers[.host] = nil }
    request.method = method
    request.body = .none
    request.options.expectsContinue = false
    request.options.isIdempotent = nil
    request.options[PermittedRedirects.self] = Self.permits
    for field in request.headers where Self.concernsCreation(field.name) { request.headers[field.name] = nil }
    addVersion(to: &request)
    return request
  }

  /// Whether a field describes the content of the program's request, or a condition for it.
  private static func concernsCreation(_ name: HTTPField.Name) -> Bool {
    let name = name.canonicalName
    return name.hasPrefix("content-") || name.hasPrefix("if-") || name.hasPrefix("upload-")
      || ["expect", "idempotency-key", "range", "repr-digest", "digest", "want-repr-digest"].contains(name)
  }

  private func addVersion(to request: inout OutgoingRequest) {
    if let field = dialect.versionField { request.headers[field.name] = field.value }
  }

  /// States the media type in the metadata of tus, because the request has no content of its own.
  private func moveTypeToMetadata(of request: inout OutgoingRequest) {
    if let type = request.headers[.contentType], !request.headers.contains(.uploadMetadata) {
      request.headers[.uploadMetadata] = "filetype \(Data(type.utf8).base64EncodedString())"
    }
    request.headers[.contentType] = nil
  }
}
