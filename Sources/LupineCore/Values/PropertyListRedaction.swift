import FoundationEssentials

/// Hides the values of an XML property list whose keys say that they are secret, and leaves every other byte as it is.
///
/// The text need be neither well-formed nor whole. A value is hidden with all that is in it.
struct PropertyListRedaction {
  private let bytes: [UInt8]
  private var position = 0
  private var output: [UInt8] = []

  private init(_ data: Data) { bytes = [UInt8](data) }

  /// Returns the text with the values of secret keys replaced.
  static func redact(_ data: Data) -> Data {
    var redaction = PropertyListRedaction(data)
    redaction.run()
    return Data(redaction.output)
  }

  private mutating func run() {
    var isSecret = false
    while position < bytes.count {
      output += textBeforeTag()
      let tag = nextTag()
      if isSecret, !tag.isEmpty, !Self.isClosing(tag) {
        if !Self.isEmpty(tag) { skipElement() }
        output += Array("<string>\(SecretParameters.replacement)</string>".utf8)
        isSecret = false
        continue
      }
      output += tag
      guard tag.elementsEqual("<key>".utf8) else { continue }
      let name = textBeforeTag()
      output += name
      isSecret = SecretParameters.isSecret(String(decoding: name, as: UTF8.self))
    }
  }

  private mutating func textBeforeTag() -> ArraySlice<UInt8> {
    let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
    defer { position = end }
    return bytes[position..<end]
  }

  private mutating func nextTag() -> ArraySlice<UInt8> {
    let last = bytes[position...].firstIndex(of: UInt8(ascii: ">"))
    let end = last.map { $0 + 1 } ?? bytes.endIndex
    defer { position = end }
    return bytes[position..<end]
  }

  /// Passes over the rest of an element whose first tag has been read.
  private mutating func skipElement() {
    var depth = 1
    while depth > 0, position < bytes.count {
      _ = textBeforeTag()
      let tag = nextTag()
      if Self.isClosing(tag) { depth -= 1 } else if !Self.isEmpty(tag) { depth += 1 }
    }
  }

  private static func isClosing(_ tag: ArraySlice<UInt8>) -> Bool { tag.starts(with: "</".utf8) }

  /// Whether no other tag closes the element; a comment is none to be closed, either.
  private static func isEmpty(_ tag: ArraySlice<UInt8>) -> Bool {
    tag.starts(with: "<!".utf8) || tag.dropLast().last == UInt8(ascii: "/")
  }
}
