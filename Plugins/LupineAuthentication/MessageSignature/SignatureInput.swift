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

  /// Parses the value of the field; `nil` if it violates the grammar, or if a label occurs twice.
  static func members(of field: String) -> [String: SignatureInput]? {
    var reader = SignatureInputReader(field)
    var members: [String: SignatureInput] = [:]
    repeat {
      reader.skip(" \t")
      guard let label = reader.key(), reader.take("=") else { return nil }
      let start = reader.position
      guard var input = list(&reader), members[label] == nil else { return nil }
      input.text = reader.text(from: start)
      members[label] = input
      reader.skip(" \t")
    } while reader.take(",")
    return reader.isAtEnd ? members : nil
  }

  private static func list(_ reader: inout SignatureInputReader) -> SignatureInput? {
    guard reader.take("(") else { return nil }
    var input = SignatureInput()
    while true {
      reader.skip(" ")
      if reader.take(")") { break }
      let start = reader.position
      guard case .string(let name) = reader.value(), let parameters = reader.parameters() else { return nil }
      input.add(name, parameters, text: reader.text(from: start))
      guard reader.isAt(" ") || reader.isAt(")") else { return nil }
    }
    guard let parameters = reader.parameters() else { return nil }
    for (name, value) in parameters {
      switch (name, value) {
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

  private mutating func add(
    _ name: String, _ parameters: [(name: String, value: SignatureInputReader.Value)], text: String
  ) {
    guard let component = SignatureComponent(name, parameters, text: text) else { return components = nil }
    components?.append(component)
  }
}

extension SignatureComponent {
  /// Returns `nil` if a parameter is unknown, if two contradict each other, or if the text is not the strict serialization.
  fileprivate init?(
    _ name: String, _ parameters: [(name: String, value: SignatureInputReader.Value)], text: String
  ) {
    self.init(name: name)
    var strict = Self.quoted(name)
    for (parameter, value) in parameters {
      switch (parameter, value) {
      case ("name", .string(let name)): self.parameter = name
      case ("key", .string(let key)) where form == .combined || form == .structured(nil): form = .member(key)
      case ("sf", .flag):
        // A member always has the strict serialization.
        if form == .combined { form = .structured(nil) } else if form == .bytes { return nil }
      case ("bs", .flag) where form == .combined: form = .bytes
      case ("tr", .flag): isOfTrailers = true
      case ("req", .flag): isOfRequest = true
      default: return nil
      }
      if case .string(let text) = value {
        strict += ";\(parameter)=\(Self.quoted(text))"
      } else {
        strict += ";\(parameter)"
      }
    }
    guard strict == text else { return nil }
    spelling = text
  }
}

/// Reads the grammar of structured fields (RFC 9651) that `Signature-Input` uses.
struct SignatureInputReader {
  enum Value {
    case string(String)
    case integer(Int64)
    /// A parameter without a value.
    case flag
    case other
  }

  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

  func isAt(_ character: Unicode.Scalar) -> Bool { !isAtEnd && bytes[position] == UInt8(ascii: character) }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard isAt(character) else { return false }
    position += 1
    return true
  }

  mutating func skip(_ characters: String) {
    while !isAtEnd, characters.utf8.contains(bytes[position]) { position += 1 }
  }

  private mutating func taken(_ belongs: (UInt8) -> Bool) -> String {
    let start = position
    while !isAtEnd, belongs(bytes[position]) { position += 1 }
    return text(from: start)
  }

  mutating func key() -> String? {
    guard !isAtEnd, bytes[position] &- 0x61 < 26 || bytes[position] == UInt8(ascii: "*") else { return nil }
    return taken { $0 &- 0x61 < 26 || $0.isDigit || "_-.*".utf8.contains($0) }
  }

  /// The maximum number of parameters of a value; RFC 9421 defines fewer than half as many.
  private static let maximumParameters = 16

  /// The parameters after a value; `nil` if they violate the grammar, if a name occurs twice, or if they are too many.
  mutating func parameters() -> [(name: String, value: Value)]? {
    var parameters: [(name: String, value: Value)] = []
    while take(";") {
      skip(" ")
      guard parameters.count < Self.maximumParameters, let name = key(),
        !parameters.contains(where: { $0.name == name })
      else { return nil }
      guard take("=") else {
        parameters.append((name, .flag))
        continue
      }
      guard let value = value() else { return nil }
      parameters.append((name, value))
    }
    return parameters
  }

  /// A string, an integer, or another value.
  mutating func value() -> Value? {
    if take("\"") { return string().map { .string($0) } }
    if take(":") {
      _ = taken { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
      return take(":") ? .other : nil
    }
    let text = taken { $0.isTokenByte || "?:/".utf8.contains($0) }
    guard !text.isEmpty else { return nil }
    return text.utf8.count <= 16 ? Int64(text).map { .integer($0) } ?? .other : .other
  }

  private mutating func string() -> String? {
    var content: [UInt8] = []
    while !isAtEnd {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard isAt("\"") || isAt("\\") else { return nil }
        content.append(bytes[position])
        position += 1
      case 0x20...0x7E: content.append(byte)
      default: return nil
      }
    }
    return nil
  }
}
