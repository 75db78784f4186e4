package import HTTPTypes
import LupineSupport
import Synchronization

/// The result of one scan of a request's fields: their size, whether they may be sent, and which of them need action.
///
/// The session scans after it has added its own fields. The transport and later steps reuse the result.
struct FieldFacts: Sendable {
  /// The properties that at least one field has.
  struct Findings: OptionSet, Sendable {
    let rawValue: UInt8

    /// The name is invalid (RFC 9110 section 5.6.2), or the field stands for one that cannot be sent.
    static let invalidName = Findings(rawValue: 1 << 0)
    /// The value is invalid (RFC 9110 section 5.5).
    static let invalidValue = Findings(rawValue: 1 << 1)
    /// The field states the content's length, which only the transport may do.
    static let framing = Findings(rawValue: 1 << 2)
    /// The findings that prevent the sending of a request.
    static var refused: Findings { [.invalidName, .invalidValue, .framing] }
    static let cookie = Findings(rawValue: 1 << 3)
    static let proxyAuthorization = Findings(rawValue: 1 << 4)
    static let accept = Findings(rawValue: 1 << 5)
  }

  private static let scans = Atomic<UInt64>(0)

  /// The number of this scan.
  ///
  /// Two requests with the same number have identical fields.
  let scanID = FieldFacts.scans.wrappingAdd(1, ordering: .relaxed).newValue
  /// The size of all fields in bytes, as HTTP/1.1 writes them.
  private(set) var size = 0
  private(set) var findings: Findings = []

  init(_ fields: HTTPFields) {
    for field in fields { scan(field) }
  }

  private mutating func scan(_ field: HTTPField) {
    let name = field.name
    let (length, isValid) = field.withUnsafeBytesOfValue { ($0.count, FieldRules.isValid($0)) }
    size += name.rawName.utf8.count + length + 4
    if !isValid { findings.insert(.invalidValue) }
    if name.rawName.isEmpty || !name.rawName.utf8.allSatisfy(\.isTokenByte) { findings.insert(.invalidName) }
    switch name {
    case .contentLength, .transferEncoding: findings.insert(.framing)
    case .cookie: findings.insert(.cookie)
    case .proxyAuthorization: findings.insert(.proxyAuthorization)
    case .accept: findings.insert(.accept)
    case .unsendable: findings.insert(.invalidName)
    default: break
    }
  }
}

/// A field whose presence the scan of a request's fields records, so that most requests need no search for it.
// For the modules that act on such a field: the session, and the validation of the media type.
package enum ScannedField: Sendable {
  case accept, cookie, proxyAuthorization

  fileprivate var finding: FieldFacts.Findings {
    switch self {
    case .accept: .accept
    case .cookie: .cookie
    case .proxyAuthorization: .proxyAuthorization
    }
  }
}

extension FieldFacts {
  func contains(_ field: ScannedField) -> Bool { findings.contains(field.finding) }
}

/// Fields that many requests share, with the result of their scan.
// For the session, which alone has default fields.
package struct SharedFields: Sendable {
  fileprivate let fields: HTTPFields
  fileprivate let facts: FieldFacts

  package init(_ fields: HTTPFields) {
    self.fields = fields
    facts = FieldFacts(fields)
  }

  /// Returns the request with these fields; `nil` if it has fields of its own.
  package func added(to request: OutgoingRequest) -> OutgoingRequest? {
    request.hasFields ? nil : OutgoingRequest(request, fields, facts)
  }
}
