public import LupineCore
import LupineFoundation
import LupineSupport

/// The digest that a downloaded file must have.
public struct ExpectedDigest: Sendable, Hashable, Codable {
  /// The digest in lower-case hexadecimal digits.
  let text: String

  /// SHA-256, as 64 hexadecimal digits of either case.
  ///
  /// With any other text the download ends with kind `invalidRequest`, before anything is sent.
  public static func sha256(_ hexadecimal: String) -> ExpectedDigest {
    ExpectedDigest(text: hexadecimal.lowercased())
  }

  /// Reads a file to its end and compares its digest, for example that of an earlier download.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if the digest is invalid, of kind `bodyFailed` if the file cannot be
  ///   read, and of kind `cancelled` if the task is cancelled meanwhile.
  public func matches(fileAt path: String) async throws(LupineError) -> Bool {
    if let fault { throw fault }
    var hash = SHA256()
    try await RequestBody.file(path).drain { (piece) throws(LupineError) in hash.update(piece) }
    return Hexadecimal.text(hash.finalize()) == text
  }

  /// Why the digest is invalid; `nil` if it is valid.
  var fault: LupineError? {
    let digits = text.utf8
    guard digits.count != 64 || !digits.allSatisfy(\.isHex) else { return nil }
    return LupineError(
      .invalidRequest,
      "The expected SHA-256 digest does not have 64 hexadecimal digits; nothing was sent. "
        + "Use the format of 'sha256sum'.")
  }

  /// Reads the file to its end and compares the digest.
  ///
  /// - Throws: `LupineError` of kind `digestMismatch` if the file has another digest, and of kind `cancelled` if the
  ///   task is cancelled meanwhile.
  func check(_ file: PartialFile) async throws(LupineError) {
    var hash = try await file.readAll(into: SHA256()) { (hash, piece, _) throws(LupineError) in hash.update(piece) }
    let found = Hexadecimal.text(hash.finalize())
    guard found != text else { return }
    throw LupineError(
      .digestMismatch,
      "The downloaded file has the SHA-256 digest \(found), not the expected one, and was removed. "
        + "Download it again, or correct the expected digest.")
  }
}
