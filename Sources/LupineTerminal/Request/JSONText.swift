#if Terminal
  /// Texts in JSON.
  enum JSONText {
    /// Returns the string literal of a text.
    static func literal(_ text: String) -> String {
      var output = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": output += "\\\""
        case "\\": output += "\\\\"
        case "\n": output += "\\n"
        case "\t": output += "\\t"
        case "\r": output += "\\r"
        case ..<" ": output += "\\u" + hexadecimal(scalar.value)
        default: output.unicodeScalars.append(scalar)
        }
      }
      return output + "\""
    }

    private static func hexadecimal(_ value: UInt32) -> String {
      let digits = String(value, radix: 16)
      return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Whether valid JSON is `null`.
    static func isNull(_ json: String) -> Bool { json.utf8.lazy.filter { !isBlank($0) }.elementsEqual("null".utf8) }

    /// Divides valid JSON into the texts of its elements, or into those of its keys and values in turn.
    ///
    /// - Returns: `nil` if the text is neither an object nor an array.
    static func parts(of json: String) -> (isObject: Bool, texts: [String])? {
      let bytes = json.utf8.drop { isBlank($0) }
      guard let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
      var texts: [String] = []
      var (depth, isString, isEscaped) = (0, false, false)
      var part: [UInt8] = []
      for byte in bytes.dropFirst() {
        if isString {
          part.append(byte)
          (isString, isEscaped) = (isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\"))
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): isString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        let endsPart = depth < 0 || depth == 0 && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":"))
        if endsPart, !part.isEmpty { texts.append(String(decoding: part, as: UTF8.self)) }
        if depth < 0 { break }
        if endsPart { part = [] } else if !isBlank(byte) { part.append(byte) }
      }
      return (first == UInt8(ascii: "{"), texts)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
  }
#endif
