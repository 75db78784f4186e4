import LupineSQLiteConnection
import LupineSupport

/// The first 64 bits of the SHA-256 of a text.
///
/// A checksum would not do: servers choose URLs, and could choose many with the same checksum.
enum Fingerprint {
  static func of(_ text: String) -> UInt64 {
    var hash = SHA256()
    var text = text
    text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    return hash.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The fingerprint of a response among all others.
  static func of(_ key: String, variant: String) -> UInt64 { of("\(key.utf8.count) \(key)\(variant)") }
}
