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
    var position: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      // Others have their turn, and whoever began this hears that it takes its time.
      await Task.yield()
      guard !Task.isCancelled else { throw LupineError(.cancelled, "The request was cancelled.") }
      let count = buffer.withUnsafeMutableBytes { bytes in
        let count = pread(file.descriptor, bytes.baseAddress, bytes.count, off_t(position))
        if count > 0 { hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
        return count
      }
      if count == 0 { break }
      guard count > 0 || errno == EINTR else { throw PartialFile.Failure.error("cannot be read", file.path) }
      position += Int64(max(0, count))
    }
    let found = Hexadecimal.text(hash.finalize())
    guard found != text else { return }
    throw LupineError(
      .digestMismatch,
      "The downloaded file has the SHA-256 digest \(found), not the expected one; it was removed. Download it again, or correct what is expected."
    )
  }
}
