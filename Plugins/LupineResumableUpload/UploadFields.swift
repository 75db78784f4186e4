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
  func item(_ name: HTTPField.Name) -> StructuredValue? {
    self[name].flatMap { StructuredItem($0)?.value }
  }
}

extension StructuredValue {
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
  static let tusExtension = HTTPField.Name(constant: "Tus-Extension")
  static let tusChecksumAlgorithm = HTTPField.Name(constant: "Tus-Checksum-Algorithm")
  static let tusMaxSize = HTTPField.Name(constant: "Tus-Max-Size")
  static let uploadMetadata = HTTPField.Name(constant: "Upload-Metadata")
  static let uploadExpires = HTTPField.Name(constant: "Upload-Expires")
  static let uploadChecksum = HTTPField.Name(constant: "Upload-Checksum")
  static let reprDigest = HTTPField.Name(constant: "Repr-Digest")
}
