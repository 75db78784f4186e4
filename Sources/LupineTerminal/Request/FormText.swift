#if Terminal
  /// Names and values in `application/x-www-form-urlencoded`.
  enum FormText {
    /// Returns the pairs as text, such as `a=1&b=two+words`.
    static func encode(_ pairs: [(name: String, value: String)]) -> String {
      pairs.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    private static func escape(_ text: String) -> String {
      var output: [UInt8] = []
      for byte in text.utf8 {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
        case 0x20: output.append(0x2B)
        default: output += [0x25, digit(byte >> 4), digit(byte & 15)]
        }
      }
      return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
  }
#endif
