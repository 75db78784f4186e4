import LupineCore
import LupineSupport

/// The grammar of media types and fields, as far as multiparts need it (RFC 9110 sections 5.5, 5.6 and 8.3.1).
enum MediaTypeText {
  static func isParameter(_ parameter: (name: String, value: String)) -> Bool {
    parameter.name.isToken && parameter.name.lowercased() != "boundary"
      && FieldRules.isValid(value: "\"\(parameter.value)\"")
  }

  /// Returns a parameter of a media type; `nil` if there is none of that name.
  static func parameter(_ name: String, of mediaType: String) -> String? {
    var rest = Array(mediaType.utf8)[...]
    skip(to: 0x3B, &rest)
    while rest.first == 0x3B {
      rest = rest.dropFirst()
      let word = rest.prefix { $0 != 0x3D && $0 != 0x3B }
      rest = rest[word.endIndex...]
      guard rest.first == 0x3D else { continue }
      rest = rest.dropFirst()
      let value = value(&rest)
      if String(decoding: word, as: UTF8.self)[...].trimmingBlanks().lowercased() == name { return value }
      skip(to: 0x3B, &rest)
    }
    return nil
  }

  private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
    guard rest.first == 0x22 else {
      let word = rest.prefix { $0 != 0x3B }
      rest = rest[word.endIndex...]
      return String(String(decoding: word, as: UTF8.self)[...].trimmingBlanks())
    }
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst(), byte != 0x22 {
      bytes.append(byte == 0x5C ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func skip(to byte: UInt8, _ rest: inout ArraySlice<UInt8>) {
    rest = rest[(rest.firstIndex(of: byte) ?? rest.endIndex)...]
  }
}
