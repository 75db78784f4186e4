import FoundationEssentials
import Glibc
import LupineCore
import LupineSupport

/// The digest that a downloaded file must have.
public struct ExpectedDigest: Sendable, Hashable {
  /// In lower-case hexadecimal digits.
  let text: String

  /// SHA-256, as 64 hexadecimal digits of either case.
  ///
  /// A download that expects any other text ends with kind `invalidRequest`, before anything is sent.
  public static func sha256(_ hexadecimal: String) -> ExpectedDigest {
    ExpectedDigest(text: hexadecimal.lowercased())
  }

  /// Why no file can have the digest; `nil` where one can.
  var fault: LupineError? {
    let digits = text.utf8
    guard digits.count != 64 || !digits.allSatisfy(\.isHex) else { return nil }
    return LupineError(
      .invalidRequest,
      "The expected SHA-256 digest is no 64 hexadecimal digits; nothing was sent. Give it as 'sha256sum' prints it.")
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
