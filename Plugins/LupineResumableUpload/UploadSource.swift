import LupineCore
import LupineFoundation
import LupineSupport

/// The body of an upload, which is read from different offsets, and the version of its content.
struct UploadSource: Sendable {
  /// The body; its length is known if it is bytes, a file, or a stream with a length.
  let body: RequestBody
  /// The version of the content; `nil` if it cannot be determined.
  let version: ContentVersion?

  /// Examines a body.
  ///
  /// - Parameter isKept: whether the version is needed for a later process.
  /// - Throws: `LupineError` of kind `invalidRequest` if the body can be read only once, or has no version although one
  ///   is needed; of kind `bodyFailed` if a file cannot be examined.
  init(_ body: RequestBody, isKept: Bool) async throws(LupineError) {
    switch body.source {
    case .file(let path, let offset):
      let version = try await FileVersion.read(path)
      guard offset >= 0, offset <= version.size, body.length ?? 0 <= version.size - offset else {
        throw LupineError(.bodyFailed, "\(path) has \(version.size) bytes only, fewer than the request is to send.")
      }
      self.body = .file(path, offset: offset, length: body.length ?? version.size - offset)
      self.version = .file(version, offset: offset)
    case .none, .bytes:
      if case .none = body.source { self.body = .bytes(Data()) } else { self.body = body }
      version = isKept ? .bytes(sha256: try await Self.digest(self.body)) : nil
    case .stream, .sequence:
      guard body.isReplayable else {
        throw LupineError(
          .invalidRequest,
          "The body can be read only once, so its upload cannot be resumed; use a file, data, or a stream that a "
            + "closure makes.")
      }
      guard !isKept else {
        throw LupineError(
          .invalidRequest,
          "Only an upload of a file or of data can be continued by another process, because the bytes of any other "
            + "body may differ there. Write the body to a file first, or leave out the checkpoint. A content coding of "
            + "the session makes a body of another kind, too.")
      }
      self.body = body
      version = nil
    }
  }

  /// Checks that a file is still the same.
  ///
  /// - Throws: `LupineError` of kind `resumeFailed` if it has changed.
  func checkUnchanged() async throws(LupineError) {
    guard case .file(let version, _) = version, case .file(let path, _) = body.source else { return }
    guard try await FileVersion.read(path) == version else {
      throw .uploadEnded("\(path) has changed since its upload began, so the rest would not fit; upload it again.")
    }
  }

  /// The SHA-256 digest of the whole body, which the version of bytes has already.
  func digest() async throws(LupineError) -> Data {
    if case .bytes(let sha256) = version { sha256 } else { try await Self.digest(body) }
  }

  /// The SHA-256 digest of a body.
  static func digest(_ body: RequestBody) async throws(LupineError) -> Data {
    var hash = SHA256()
    try await body.drain { (bytes) throws(LupineError) in hash.update(bytes) }
    return Data(hash.finalize())
  }

  /// The bytes of a part.
  func bytes(of part: UploadPart) throws(LupineError) -> RequestBody {
    let rest = try body.suffix(from: part.offset)
    guard let count = part.count, count != rest.length else { return rest }
    return rest.prefix(count)
  }
}

/// Distinguishes two contents of a body.
enum ContentVersion: Sendable, Hashable, Codable {
  case file(FileVersion, offset: Int64)
  case bytes(sha256: Data)
}
