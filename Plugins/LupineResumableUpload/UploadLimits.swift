import HTTPTypes
import LupineCore
import LupineSupport

/// The limits that a server states for an upload, in bytes and seconds.
struct UploadLimits: Sendable, Hashable {
  var maximumSize: Int64?
  var minimumSize: Int64?
  var maximumAppendSize: Int64?
  var minimumAppendSize: Int64?
  /// The remaining lifetime of the upload in seconds.
  var maximumAge: Int64?

  init() {}

  /// The limits in `Upload-Limit`; `nil` if there is no such field, or if a member has an unexpected type.
  ///
  /// A member with an unknown name is ignored. Version 6 of the draft calls `max-age` `expires`.
  init?(_ head: HTTPResponse, _ dialect: UploadDialect) {
    if dialect == .tus {
      guard let size = head.headerFields.item(.tusMaxSize)?.count else { return nil }
      maximumSize = size
      return
    }
    guard let limits = head.headerFields[.uploadLimit].flatMap({ StructuredDictionary($0) }) else { return nil }
    for (name, value) in limits.members {
      guard let key = Self.key(name, dialect) else { continue }
      guard let number = value.count else { return nil }
      self[keyPath: key] = number
    }
  }

  private static func key(_ name: String, _ dialect: UploadDialect) -> WritableKeyPath<UploadLimits, Int64?>? {
    switch name {
    case "max-size": \.maximumSize
    case "min-size": \.minimumSize
    case "max-append-size": \.maximumAppendSize
    case "min-append-size": \.minimumAppendSize
    case "max-age": \.maximumAge
    case "expires": dialect == .draft(6) ? \.maximumAge : nil
    default: nil
    }
  }

  /// Replaces the limits that a later response states.
  mutating func update(with later: UploadLimits) {
    maximumSize = later.maximumSize ?? maximumSize
    minimumSize = later.minimumSize ?? minimumSize
    maximumAppendSize = later.maximumAppendSize ?? maximumAppendSize
    minimumAppendSize = later.minimumAppendSize ?? minimumAppendSize
    maximumAge = later.maximumAge ?? maximumAge
  }

  /// Why an upload of this length is refused; `nil` if it is not.
  func refusal(ofLength length: Int64) -> LupineError? {
    if let maximumSize, length > maximumSize {
      return .uploadSizeRefused("The upload has \(length) bytes, and the server accepts at most \(maximumSize).")
    }
    if let minimumSize, length < minimumSize {
      return .uploadSizeRefused("The upload has \(length) bytes, and the server accepts no fewer than \(minimumSize).")
    }
    return nil
  }
}
