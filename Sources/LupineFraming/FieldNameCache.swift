import HTTPTypes
import LupineCore
import LupineSupport

/// A field name, with what it means for a reader.
final class FieldName: Sendable {
  let name: HTTPField.Name
  /// Whether the field determines the length of the body.
  let isFraming: Bool
  let isConnection: Bool
  /// Whether the value may be a secret.
  let isSecret: Bool
  let bytes: [UInt8]

  init(_ name: HTTPField.Name) {
    self.name = name
    bytes = Array(name.rawName.utf8)
    isFraming = name == .contentLength || name == .transferEncoding
    isConnection = name == .connection
    isSecret = Self.secrets.contains(name)
  }

  private static let secrets: SecretFields = {
    var fields = SecretFields.standard
    let names = ["Set-Cookie2", "Authentication-Info", "Proxy-Authentication-Info", "Location", "Content-Location"]
    for name in names.compactMap({ HTTPField.Name($0) }) + [.wwwAuthenticate, .proxyAuthenticate] {
      fields.insert(name)
    }
    return fields
  }()
}

/// Caches field names that arrive repeatedly, so that they are not validated and lowercased again.
final class FieldNameCache {
  private static let slots = 256
  private static let longest = 48
  private var cached = [FieldName?](repeating: nil, count: slots)

  /// Returns the name in these bytes; `nil` if they are not a token.
  func name(_ bytes: UnsafeRawBufferPointer) -> FieldName? {
    guard bytes.count <= Self.longest else { return Self.make(bytes) }
    var hash: UInt32 = 2_166_136_261
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    let slot = Int((hash ^ (hash >> 15)) % UInt32(Self.slots))
    if let name = cached[slot], name.bytes.isEqual(to: bytes) { return name }
    let name = Self.make(bytes)
    if name != nil { cached[slot] = name }
    return name
  }

  private static func make(_ bytes: UnsafeRawBufferPointer) -> FieldName? {
    guard !bytes.isEmpty, bytes.allSatisfy(\.isTokenByte) else { return nil }
    return HTTPField.Name(String(decoding: bytes, as: UTF8.self)).map { FieldName($0) }
  }
}
