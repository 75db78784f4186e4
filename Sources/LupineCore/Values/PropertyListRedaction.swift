import FoundationEssentials

/// Hides the values of an XML property list whose keys say that they are secret, and leaves every other byte as it is.
///
/// A value is hidden with all that is in it, and with comments before it. A list that cannot be followed, such as a binary
/// one, is hidden as a whole.
struct PropertyListRedaction {
  private typealias Obscurity = PropertyListScanner.Obscurity

  private var scanner: PropertyListScanner
  private var output: [UInt8] = []

  private init(_ data: Data) throws(Obscurity) { scanner = try PropertyListScanner(data) }

  /// Returns the text with the values of secret keys replaced.
  static func redact(_ data: Data) -> Data {
    do throws(Obscurity) {
      var redaction = try PropertyListRedaction(data)
      try redaction.run()
      return Data(redaction.output)
    } catch {
      return Data(SecretParameters.replacement.utf8)
    }
  }

  /// Whether bytes begin as a property list does, be it a binary one.
  static func mayBePropertyList(_ data: Data) -> Bool {
    data.starts(with: "bplist".utf8) || String(decoding: data.prefix(1_024), as: UTF8.self).contains("<plist")
  }

  private mutating func run() throws(Obscurity) {
    while let piece = try scanner.next() {
      output += piece.bytes
      if piece.kind == .opening("key"), try copyKey() { try hideValue() }
    }
  }

  /// Copies the rest of a key; true where it is that of a secret.
  private mutating func copyKey() throws(Obscurity) -> Bool {
    var name: [UInt8] = []
    while let piece = try scanner.next() {
      output += piece.bytes
      switch piece.kind {
      case .text: name += try Self.resolved(piece.bytes)
      case .verbatim: name += piece.bytes.dropFirst("<![CDATA[".count).dropLast("]]>".count)
      case .aside: continue
      case .closing("key"):
        // A server may take a name without the blanks in it.
        name.removeAll(where: PropertyListScanner.isBlank)
        return SecretParameters.isSecret(String(decoding: name, as: UTF8.self))
      case .opening, .closing, .empty: throw Obscurity()
      }
    }
    return false
  }

  /// Puts the replacement where the next value is.
  private mutating func hideValue() throws(Obscurity) {
    while let piece = try scanner.next() {
      switch piece.kind {
      case .text where piece.isBlank: output += piece.bytes
      case .aside: continue
      case .opening(let element) where element != "key":
        try skip(element)
        return output += Array("<string>\(SecretParameters.replacement)</string>".utf8)
      case .empty(let element) where element != "key":
        return output += Array("<string>\(SecretParameters.replacement)</string>".utf8)
      default: throw Obscurity()
      }
    }
  }

  /// Passes over the rest of an element whose first tag has been read.
  private mutating func skip(_ element: String) throws(Obscurity) {
    var open = [element]
    while !open.isEmpty, let piece = try scanner.next() {
      switch piece.kind {
      case .opening(let element): open.append(element)
      case .closing(let element): guard open.popLast() == element else { throw Obscurity() }
      case .text, .verbatim, .aside, .empty: continue
      }
    }
  }
}

extension PropertyListRedaction {
  private static let entities: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": "\"",
  ]

  /// A text with the characters that its entities stand for.
  private static func resolved(_ text: ArraySlice<UInt8>) throws(Obscurity) -> [UInt8] {
    var (rest, resolved) = (text, [UInt8]())
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      guard let end = rest[start...].firstIndex(of: UInt8(ascii: ";")),
        let character = character(named: String(decoding: rest[(start + 1)..<end], as: UTF8.self))
      else { throw Obscurity() }
      resolved += rest[..<start]
      resolved += Array(String(character).utf8)
      rest = rest[(end + 1)...]
    }
    return resolved + rest
  }

  private static func character(named name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#") else { return entities[name] }
    let code = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
    return code.flatMap(Unicode.Scalar.init)
  }
}
