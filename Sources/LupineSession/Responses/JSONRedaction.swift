import LupineCore
import LupineFoundation
import LupineSupport

/// Redacts the values of JSON members whose names indicate a secret; every other byte is unchanged.
///
/// The text may be malformed or incomplete. An object or array is redacted as a whole.
struct JSONRedaction {
  private let bytes: [UInt8]
  private var position = 0
  private var output: [UInt8] = []

  private init(_ data: Data) { bytes = [UInt8](data) }

  /// Returns the text with the values of secret members replaced.
  static func redact(_ data: Data) -> Data {
    var redaction = JSONRedaction(data)
    redaction.run()
    return Data(redaction.output)
  }

  /// Whether the bytes begin like an object or an array.
  static func mayBeJSON(_ data: Data) -> Bool {
    let text = data.starts(with: ByteOrderMark.utf8.bytes) ? data.dropFirst(3) : data
    let first = text.first { !isBlank($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private mutating func run() {
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "\"") else {
        copy()
        continue
      }
      let start = position
      skipString()
      let name = bytes[start..<position]
      output += name
      copyBlanks()
      guard position < bytes.count, bytes[position] == UInt8(ascii: ":"), Self.isSecret(name) else { continue }
      copy()
      copyBlanks()
      skipValue()
      output += Array("\"\(SecretParameters.replacement)\"".utf8)
    }
  }

  private mutating func copy() {
    output.append(bytes[position])
    position += 1
  }

  private mutating func copyBlanks() {
    while position < bytes.count, Self.isBlank(bytes[position]) { copy() }
  }

  private mutating func skipString() {
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { break }
    }
    position = min(position, bytes.count)
  }

  private mutating func skipValue() {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
        continue
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
        position += 1
      case let byte where byte == UInt8(ascii: ",") || Self.isBlank(byte):
        if depth == 0 { return }
        position += 1
      default:
        position += 1
        continue
      }
      if depth == 0 { return }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Whether a quoted name indicates a secret.
  private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.contains(UInt8(ascii: "\\")), let text = try? JSONDecoder().decode(String.self, from: Data(name)) else {
      return SecretParameters.isSecret(String(decoding: name.dropFirst().dropLast(), as: UTF8.self))
    }
    return SecretParameters.isSecret(text)
  }
}
