import LupineSupport

/// One member of `Signature-Input` (RFC 9421 section 4.1).
struct SignatureInput: Sendable {
  /// The covered components; `nil` if one of them has an unknown parameter, or is not spelled strictly.
  private(set) var components: [SignatureComponent]? = []
  /// The value of `@signature-params`: the list and its parameters as they were received.
  private(set) var text = ""
  private(set) var created: Int64?
  private(set) var expires: Int64?
  private(set) var keyID: String?
  private(set) var algorithm: String?

  /// Parses the value of the field; `nil` if it violates the grammar, or if a label or a parameter occurs twice.
  static func members(of field: String) -> [String: SignatureInput]? {
    var cursor = FieldCursor(field)
    var members: [String: SignatureInput] = [:]
    repeat {
      cursor.skipWhitespace()
      guard let label = cursor.structuredKey(), cursor.take(UInt8(ascii: "=")) else { return nil }
      let start = cursor.position
      guard var input = list(&cursor), members[label] == nil else { return nil }
      input.text = cursor.text(start..<cursor.position)
      members[label] = input
      cursor.skipWhitespace()
    } while cursor.take(UInt8(ascii: ","))
    return cursor.isAtEnd ? members : nil
  }

  private static func list(_ cursor: inout FieldCursor) -> SignatureInput? {
    guard cursor.take(UInt8(ascii: "(")) else { return nil }
    var input = SignatureInput()
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { break }
      let start = cursor.position
      guard case .string(let name) = cursor.bareItem(), let parameters = parameters(&cursor) else { return nil }
      input.add(name, parameters, text: cursor.text(start..<cursor.position))
      guard let next = cursor.peek(), next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
    }
    guard let parameters = parameters(&cursor) else { return nil }
    for parameter in parameters {
      switch (parameter.name, parameter.value) {
      case ("created", .integer(let seconds)): input.created = seconds
      case ("expires", .integer(let seconds)): input.expires = seconds
      case ("keyid", .string(let id)): input.keyID = id
      case ("alg", .string(let name)): input.algorithm = name
      case ("created", _), ("expires", _), ("keyid", _), ("alg", _): return nil
      default: break
      }
    }
    return input
  }

  /// The maximum number of parameters of a value; RFC 9421 defines fewer than half as many.
  private static let maximumParameters = 16

  /// The parameters of a list or of a component; `nil` if they violate the grammar, if a name occurs twice, or if they are
  /// too many.
  ///
  /// Of several with one name the last one counts (RFC 9651 section 4.2.3.2), but another program might take the first.
  private static func parameters(_ cursor: inout FieldCursor) -> [StructuredParameter]? {
    guard let parameters = cursor.parameters(), parameters.count <= maximumParameters else { return nil }
    return Set(parameters.map(\.name)).count == parameters.count ? parameters : nil
  }

  private mutating func add(_ name: String, _ parameters: [StructuredParameter], text: String) {
    guard let component = SignatureComponent(name, parameters, text: text) else { return components = nil }
    components?.append(component)
  }
}

extension SignatureComponent {
  /// Returns `nil` if a parameter is unknown, if two contradict each other, or if the text is not the strict serialization.
  fileprivate init?(_ name: String, _ parameters: [StructuredParameter], text: String) {
    self.init(name: name)
    for parameter in parameters {
      switch (parameter.name, parameter.value) {
      case ("name", .string(let name)): self.parameter = name
      case ("key", .string(let key)) where form == .combined || form == .structured(nil): form = .member(key)
      case ("sf", .boolean(true)):
        // A member always has the strict serialization.
        if form == .combined { form = .structured(nil) } else if form == .bytes { return nil }
      case ("bs", .boolean(true)) where form == .combined: form = .bytes
      case ("tr", .boolean(true)): isOfTrailers = true
      case ("req", .boolean(true)): isOfRequest = true
      default: return nil
      }
    }
    guard StructuredItem(.string(name), parameters).serialized == text else { return nil }
    spelling = text
  }
}
