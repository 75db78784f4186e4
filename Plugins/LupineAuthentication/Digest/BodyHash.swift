import LupineCore
import LupineSupport

/// Hashes a request's body incrementally, for `auth-int` and for signatures.
enum BodyHash {
  /// Returns the hash in hexadecimal; `nil` if OpenSSL lacks the hash function.
  ///
  /// - Throws: `LupineError` of kind `bodyFailed` if the body cannot be read.
  static func hexadecimal(_ body: RequestBody, _ function: HashFunction) async throws(LupineError) -> String? {
    guard var hash = RunningHash(function) else { return nil }
    try await body.drain { hash.update($0) }
    return hash.finish().map(Hexadecimal.text)
  }
}
