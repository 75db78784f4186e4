import LupineSupport
import HTTPTypes
import Synchronization

/// What one look at a request's fields tells: how much they are, whether they may be sent, and who has to act on one.
///
/// The session looks when it has added its own fields; the transport, and whoever else has the request after that, need
/// not look again.
package struct FieldFacts: Sendable {
  /// What is true of at least one field.
  package struct Findings: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The name is none (RFC 9110 section 5.1).
    package static let invalidName = Findings(rawValue: 1 << 0)
    /// The value is none (RFC 9110 section 5.5).
    package static let invalidValue = Findings(rawValue: 1 << 1)
    /// It says how long the content is, which is the transport's to say.
    package static let framing = Findings(rawValue: 1 << 2)
    /// What keeps a request from being sent.
    static var refused: Findings { [.invalidName, .invalidValue, .framing] }
    package static let cookie = Findings(rawValue: 1 << 3)
    package static let proxyAuthorization = Findings(rawValue: 1 << 4)
    package static let accept = Findings(rawValue: 1 << 5)
  }

  private static let looks = Atomic<UInt64>(0)

  /// The number of this look: of two requests with the same one, the fields are the same to the letter.
  package let look = FieldFacts.looks.wrappingAdd(1, ordering: .relaxed).newValue
  /// The bytes of all fields, as HTTP/1.1 writes them.
  package private(set) var size = 0
  package private(set) var findings: Findings = []

  init(_ fields: HTTPFields) {
    for field in fields { look(at: field) }
  }

  private mutating func look(at field: HTTPField) {
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
    default: break
    }
  }
}
