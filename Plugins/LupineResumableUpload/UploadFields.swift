import HTTPTypes
import LupineSupport

extension HTTPResponse {
  /// The offset in `Upload-Offset`; `nil` if there is none, or if its value is not one number from 0.
  var uploadOffset: Int64? { headerFields.item(.uploadOffset)?.count }

  /// The length in `Upload-Length`; `nil` if there is none, or if its value is not one number from 0.
  var uploadLength: Int64? { headerFields.item(.uploadLength)?.count }

  /// The value of `Upload-Complete`; `nil` if there is none, or if it is no boolean.
  var uploadIsComplete: Bool? {
    if case .boolean(let isComplete) = headerFields.item(.uploadComplete) { isComplete } else { nil }
  }
}

extension HTTPFields {
  /// The value of a field that is an item; `nil` if there is none, or if it violates the grammar.
  func item(_ name: HTTPField.Name) -> StructuredDictionary.Value? {
    self[name].flatMap { StructuredDictionary.Value(item: $0) }
  }
}

extension StructuredDictionary.Value {
  /// Parses an item (RFC 9651 section 3.3) and skips its parameters; `nil` if the text violates the grammar.
  init?(item text: String) {
    var cursor = FieldCursor(text)
    cursor.skipSpaces()
    guard let value = cursor.bareItem(), cursor.parameters() != nil else { return nil }
    cursor.skipSpaces()
    guard cursor.isAtEnd else { return nil }
    self = value
  }

  /// An integer from 0; `nil` for any other value.
  var count: Int64? { if case .integer(let number) = self, number >= 0 { number } else { nil } }
}

extension HTTPField.Name {
  static let uploadDraftInteropVersion = HTTPField.Name(constant: "Upload-Draft-Interop-Version")
  static let uploadComplete = HTTPField.Name(constant: "Upload-Complete")
  static let uploadOffset = HTTPField.Name(constant: "Upload-Offset")
  static let uploadLength = HTTPField.Name(constant: "Upload-Length")
  static let uploadLimit = HTTPField.Name(constant: "Upload-Limit")
  static let tusResumable = HTTPField.Name(constant: "Tus-Resumable")
  static let tusMaxSize = HTTPField.Name(constant: "Tus-Max-Size")
  static let uploadMetadata = HTTPField.Name(constant: "Upload-Metadata")
  static let uploadExpires = HTTPField.Name(constant: "Upload-Expires")
  static let uploadChecksum = HTTPField.Name(constant: "Upload-Checksum")
  static let reprDigest = HTTPField.Name(constant: "Repr-Digest")
}
