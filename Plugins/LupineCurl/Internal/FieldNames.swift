import HTTPTypes

/// Remembers the names of fields that arrive again and again, which saves checking and folding them.
final class FieldNames {
  private static let slots = 256
  private static let longest = 48
  private var known = [HTTPField.Name?](repeating: nil, count: slots)

  /// The name that the bytes spell; `nil` where they are no token.
  func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    guard bytes.count <= Self.longest else { return Self.make(bytes) }
    var hash: UInt32 = 2_166_136_261
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    let slot = Int((hash ^ (hash >> 15)) % UInt32(Self.slots))
    if let name = known[slot], Self.spells(name.rawName, bytes) { return name }
    let name = Self.make(bytes)
    if name != nil { known[slot] = name }
    return name
  }

  private static func spells(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.utf8.count == bytes.count else { return false }
    return text.utf8.withContiguousStorageIfAvailable { $0.elementsEqual(bytes) }
      ?? text.utf8.elementsEqual(bytes)
  }

  private static func make(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    guard !bytes.isEmpty, bytes.allSatisfy(\.isTokenByte) else { return nil }
    return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
  }
}
