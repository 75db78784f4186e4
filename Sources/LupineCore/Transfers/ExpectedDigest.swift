import FoundationEssentials
import Glibc

/// The digest that a downloaded file must have.
public struct ExpectedDigest: Sendable, Hashable {
  /// In lower-case hexadecimal digits.
  let text: String

  /// SHA-256, as 64 hexadecimal digits of either case.
  ///
  /// A text that is none ends the download with kind `digestMismatch`, as any other digest that the file does not have.
  public static func sha256(_ hexadecimal: String) -> ExpectedDigest {
    ExpectedDigest(text: hexadecimal.lowercased())
  }

  /// Reads the file to its end, off the caller's actor.
  ///
  /// - Throws: `LupineError` of kind `digestMismatch` where the file has another digest, and of kind `cancelled` where the
  ///   task is cancelled meanwhile.
  @concurrent
  func check(_ file: PartialFile) async throws(LupineError) {
    var hash = SHA256()
    try await file.readAll { (piece, _) throws(LupineError) in hash.update(piece) }
    let found = Hexadecimal.text(hash.finalize())
    guard found != text else { return }
    throw LupineError(
      .digestMismatch,
      "The downloaded file has the SHA-256 digest \(found), not the expected one; it was removed. Download it again, or correct what is expected."
    )
  }
}
