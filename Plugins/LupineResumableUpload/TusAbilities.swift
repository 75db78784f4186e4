import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The abilities that a server of tus 1.0.0 states in its answer to OPTIONS.
struct TusAbilities: Sendable, Hashable {
  /// The extensions in `Tus-Extension`; `nil` if the server states none.
  let extensions: Set<String>?
  /// The algorithms in `Tus-Checksum-Algorithm`; `nil` if the server states none.
  let algorithms: Set<String>?

  /// - Parameter head: the answer; one that is no success states nothing.
  init(_ head: HTTPResponse) {
    let isAnswer = head.status.kind == .successful
    extensions = isAnswer ? Self.list(head.headerFields[.tusExtension]) : nil
    algorithms = isAnswer ? Self.list(head.headerFields[.tusChecksumAlgorithm]) : nil
  }

  private static func list(_ value: String?) -> Set<String>? {
    value.map { value in Set(value.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }) }
  }

  /// Whether the server may have an extension.
  func mayHave(_ name: String) -> Bool { extensions?.contains(name) ?? true }

  /// The algorithm of the checksums; `nil` if the server has none that is supported here.
  ///
  /// Each server with checksums must support SHA-1, so that is used if the server states nothing.
  var checksum: UploadChecksum? {
    guard mayHave("checksum") else { return nil }
    guard let algorithms else { return .sha1 }
    return [UploadChecksum.sha256, .sha1].first { algorithms.contains($0.rawValue) }
  }
}

/// An algorithm for the checksum of an append with tus; the raw value is its name there.
enum UploadChecksum: String, Sendable {
  case sha1, sha256

  /// The value of `Upload-Checksum` for a body.
  func field(for body: RequestBody) async throws(LupineError) -> String {
    let digest: Data
    switch self {
    case .sha256: digest = try await UploadSource.digest(body)
    case .sha1:
      var hash = SHA1()
      try await body.drain { (bytes) throws(LupineError) in hash.update(bytes) }
      digest = Data(hash.finalize())
    }
    return "\(rawValue) \(digest.base64EncodedString())"
  }
}
