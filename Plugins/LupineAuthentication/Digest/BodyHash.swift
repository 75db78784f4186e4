import LupineCore
import LupineSupport

/// Hashes a request's body, for `auth-int` and for signatures, piece by piece.
enum BodyHash {
  /// The hash in hexadecimal; `nil` where OpenSSL has no such function.
  ///
  /// - Throws: `LupineError` of kind `bodyFailed` where the body cannot be read.
  static func hexadecimal(_ body: RequestBody, _ function: HashFunction) async throws(LupineError) -> String? {
    guard var hash = RunningHash(function) else { return nil }
    try await body.drain { hash.update($0) }
    return hash.finish().map(Hexadecimal.text)
  }
}
