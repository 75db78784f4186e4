import HTTPTypes
import LupineCore
import LupineSupport

/// The protocol of an upload that can be resumed.
public enum UploadDialect: Sendable, Hashable {
  /// A draft of "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload), by its interop version: 6, 7 or 8.
  ///
  /// With another number the request fails with kind `invalidRequest`, before anything is sent. A server that supports
  /// another version, or none, receives a normal upload.
  case draft(Int)
  /// "Resumable Uploads for HTTP" without the field `Upload-Draft-Interop-Version`, as the RFC will have it.
  case final
  /// tus 1.0.0, with its extensions creation, termination and expiration, and with checksums if the request has
  /// `sendingDigest()`. `Tus-Max-Size` is kept.
  ///
  /// The request creates the upload at its URL without content, and the server must support the protocol.
  case tus
}

/// How a resumable upload begins.
public enum UploadCreation: Sendable, Hashable {
  /// The first request carries the whole content.
  ///
  /// A server that does not support the protocol receives a normal upload. If it does, it sends the location of the
  /// upload in an interim response with status 104. Without that response the upload cannot be resumed.
  case optimistic
  /// The first request has no content; the content follows when the server has answered with the location.
  ///
  /// For servers that support the protocol, behind proxies that drop interim responses. It costs one more round trip.
  case careful
}

extension UploadDialect {
  /// The versions of the draft whose fields are the same.
  static let versions = 6...8

  /// The reason why the dialect cannot be used; `nil` if it can.
  var fault: LupineError? {
    guard case .draft(let version) = self, !Self.versions.contains(version) else { return nil }
    return LupineError(
      .invalidRequest,
      "The interop version \(version) of resumable uploads is not supported; use .draft(8), .draft(6) or .final.")
  }

  /// The name in a checkpoint.
  var name: String {
    switch self {
    case .draft(let version): "draft-\(version)"
    case .final: "final"
    case .tus: "tus-1.0.0"
    }
  }

  /// The dialect with a name in a checkpoint.
  init?(name: String) {
    let dialects: [UploadDialect] = [.final, .tus] + Self.versions.map { .draft($0) }
    guard let dialect = dialects.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  /// The media type of the content of an append.
  var partType: String {
    self == .tus ? "application/offset+octet-stream" : "application/partial-upload"
  }

  /// The field that each request has, whose name and value identify the version of the protocol.
  var versionField: HTTPField? {
    switch self {
    case .draft(let version): HTTPField(name: .uploadDraftInteropVersion, value: "\(version)")
    case .final: nil
    case .tus: HTTPField(name: .tusResumable, value: "1.0.0")
    }
  }

  /// Whether an interim response belongs to this version of the protocol.
  ///
  /// Drafts ignore a 104 of another version or without one; the RFC's 104 has none.
  func accepts(interim head: HTTPResponse) -> Bool {
    guard head.status.code == 104 else { return false }
    switch self {
    case .draft(let version):
      return head.headerFields.item(.uploadDraftInteropVersion) == .integer(Int64(version))
    case .final: return !head.headerFields.contains(.uploadDraftInteropVersion)
    case .tus: return false
    }
  }
}
