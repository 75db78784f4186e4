import HTTPTypes
import LupineCore
import LupineSupport

/// The values that the cache reads from the fields of a request.
final class RequestFields: Sendable {
  let directives: CacheDirectives
  /// The keyed hash of the credentials.
  let credential: String
  let hasAuthorization: Bool
  let hasRange: Bool
  /// Whether there is a condition of the caller (RFC 9110 section 13.1), without `If-Range`.
  let isConditional: Bool
  /// Whether there is a condition that only the server evaluates.
  let hasServerCondition: Bool

  init(_ fields: HTTPFields, _ hash: KeyedHash, _ secrets: SecretFields) {
    var directives = CacheDirectives(fields)
    if !fields.contains(.cacheControl), CacheDirectives(fields, .pragma).contains("no-cache") {
      directives = CacheDirectives([.cacheControl: "no-cache"])
    }
    self.directives = directives
    credential = hash.credential(of: fields, secrets)
    hasAuthorization = fields.contains(.authorization)
    hasRange = fields.contains(.range)
    hasServerCondition = fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
    isConditional = hasServerCondition || fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
  }
}

extension HTTPField.Name {
  /// `Pragma` (RFC 9111 section 5.4), for requests without `Cache-Control`.
  static let pragma = HTTPField.Name(constant: "Pragma")
}
