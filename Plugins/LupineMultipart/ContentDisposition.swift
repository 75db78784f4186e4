import LupineCore
import LupineSupport

/// The parameters of a `Content-Disposition` field, escaped as in browsers.
///
/// In the HTML standard a quoted value ends at the next quote. `%22`, `%0D` and `%0A` stand for a quote, CR and LF, and
/// a backslash is not an escape.
struct ContentDisposition {
  private var values: [String: String] = [:]

  init(_ text: String) {
    var rest = Substring(text)
    guard let start = rest.firstIndex(of: ";") else { return }
    rest = rest[rest.index(after: start)...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].trimmingBlanks().lowercased()
      rest = rest[rest.index(after: equals)...]
      let value = Self.value(&rest)
      if values[name] == nil { values[name] = value }
      guard let next = rest.firstIndex(of: ";") else { return }
      rest = rest[rest.index(after: next)...]
    }
  }

  subscript(_ name: String) -> String? { values[name] }

  private static func value(_ rest: inout Substring) -> String {
    guard rest.first == "\"" else {
      let value = rest.prefix { $0 != ";" }
      rest = rest[value.endIndex...]
      return String(value.trimmingBlanks())
    }
    rest.removeFirst()
    let value = rest.prefix { $0 != "\"" }
    rest = rest[value.endIndex...].dropFirst()
    return unescaped(value)
  }

  private static let escapes: [(byte: UInt8, text: String)] = [(0x22, "%22"), (0x0D, "%0D"), (0x0A, "%0A")]

  /// Escapes a name for use between quotes.
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if let escape = escapes.first(where: { $0.byte == byte }) {
        bytes += escape.text.utf8
      } else {
        bytes.append(byte)
      }
    }
    if bytes.last == 0x5C { bytes.replaceSubrange((bytes.count - 1)..., with: "%5C".utf8) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if byte == 0x25, let escape = escapes.first(where: { rest.starts(with: $0.text.utf8) }) {
        bytes.append(escape.byte)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    if bytes.count >= 3, bytes.suffix(3).elementsEqual("%5C".utf8) {
      bytes.replaceSubrange((bytes.count - 3)..., with: [0x5C])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a name contains no control byte except a tab, and CR and LF, which are escaped.
  static func isAllowed(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
  }
}

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

  /// Returns a media type without the parameters of a name; semicolons in quoted values do not separate.
  static func removing(_ name: String, from mediaType: String) -> String {
    var pieces: [[UInt8]] = [[]]
    var (isQuoted, isEscaped) = (false, false)
    for byte in mediaType.utf8 {
      if byte == 0x3B, !isQuoted {
        pieces.append([])
        continue
      }
      if byte == 0x22, !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == 0x5C && !isEscaped
      pieces[pieces.count - 1].append(byte)
    }
    let kept = pieces.map { String(decoding: $0, as: UTF8.self) }.filter { piece in
      let word = piece.prefix { $0 != "=" }.trimmingBlanks().lowercased()
      return !word.isEmpty && word != name
    }
    return String(kept.joined(separator: ";").trimmingBlanks())
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
