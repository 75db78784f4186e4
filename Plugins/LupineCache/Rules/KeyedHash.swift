import LupineCore
import LupineFoundation
import HTTPTypes
import LupineSupport

/// HMAC-SHA-256 (RFC 2104) with a key that only the caches of one program have.
///
/// The cache compares hashes, and so recognises a secret without keeping a copy of it. Whoever reads the hashes needs the
/// key to test guesses of the secret.
struct KeyedHash: Sendable {
  /// The text that stands for nothing to hash.
  static let none = "-"

  private let inner: SHA256
  private let outer: SHA256

  /// Returns 32 random bytes.
  ///
  /// - Parameter random: returns 64 random bits; called four times.
  static func makeKey(_ random: () -> UInt64) -> [UInt8] {
    (0..<4).flatMap { _ in withUnsafeBytes(of: random()) { Array($0) } }
  }

  /// Makes the hash with a key of any length.
  init(key: [UInt8]) {
    var key = key
    if key.count > 64 {
      var hash = SHA256()
      key.withUnsafeBytes { hash.update($0) }
      key = Array(hash.finalize())
    }
    let block = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
    inner = Self.begun(with: block.map { $0 ^ 0x36 })
    outer = Self.begun(with: block.map { $0 ^ 0x5C })
  }

  private static func begun(with block: [UInt8]) -> SHA256 {
    var hash = SHA256()
    block.withUnsafeBytes { hash.update($0) }
    return hash
  }

  /// Returns the hash of a sequence of texts, in hexadecimal; another division into texts has another hash.
  func text(of parts: [String]) -> String {
    let message = parts.map { "\($0.utf8.count):\($0)" }.joined()
    return Hexadecimal.text(digest(Array(message.utf8)))
  }

  func digest(_ message: [UInt8]) -> [UInt8] {
    var (inner, outer) = (inner, outer)
    message.withUnsafeBytes { inner.update($0) }
    inner.finalize().withUnsafeBytes { outer.update($0) }
    return outer.finalize()
  }

  /// Returns the hash of the credentials and the other secret fields of a request; `none` if it has none.
  func credential(of fields: HTTPFields, _ secrets: SecretFields) -> String {
    let own = fields.filter { secrets.contains($0.name) || $0.name == .authorization || $0.name == .cookie }
    guard !own.isEmpty else { return Self.none }
    // The order of different fields does not matter, that of one name does.
    let names = Set(own.map(\.name.canonicalName)).sorted()
    return text(of: names.flatMap { name in [name] + own.filter { $0.name.canonicalName == name }.map(\.value) })
  }
}
