#if Terminal
  /// A part of a request on the command line, such as `name=Ada`; the signs are those of httpie.
  struct RequestItem: Equatable {
    /// The sign between the key and the value.
    enum Sign: String, CaseIterable {
      /// A JSON value from a file.
      case jsonFile = ":=@"
      /// A parameter of the query from a file.
      case queryFile = "==@"
      /// A string from a file.
      case stringFile = "=@"
      /// A JSON value.
      case json = ":="
      /// A parameter of the query.
      case query = "=="
      /// A header field from a file.
      case headerFile = ":@"
      /// A header field; an empty value removes the field.
      case header = ":"
      /// A header field with an empty value.
      case emptyHeader = ";"
      /// A string.
      case string = "="
      /// A file that is uploaded.
      case file = "@"

      /// The bytes of the sign.
      fileprivate var bytes: [UInt8] { Array(rawValue.utf8) }

      /// The signs, the longer ones before their beginnings.
      fileprivate static let byLength = allCases.sorted { $0.rawValue.utf8.count > $1.rawValue.utf8.count }
    }

    let key: String
    let sign: Sign
    let value: String

    /// Parses an argument.
    ///
    /// The first sign in the text separates the key and the value; of several that begin there, the longest applies. A
    /// backslash before a character of a sign makes it a part of the key or the value.
    ///
    /// - Throws: `CommandFailure` if the text has no sign.
    init(_ text: String) throws {
      let bytes = Array(text.utf8)
      var key: [UInt8] = []
      var index = 0
      while index < bytes.count {
        if bytes[index] == Self.backslash, index + 1 < bytes.count {
          if !Self.isSpecial(bytes[index + 1]) { key.append(Self.backslash) }
          key.append(bytes[index + 1])
          index += 2
        } else if let sign = Self.sign(in: bytes[index...]) {
          self.key = String(decoding: key, as: UTF8.self)
          self.sign = sign
          value = Self.unescaped(bytes[(index + sign.bytes.count)...])
          try check(text)
          return
        } else {
          key.append(bytes[index])
          index += 1
        }
      }
      throw Self.unknown(text)
    }

    private func check(_ text: String) throws {
      if sign == .emptyHeader && !value.isEmpty { throw Self.unknown(text) }
      if key.isEmpty && sign != .file { throw Self.unknown(text) }
    }

    private static func unknown(_ text: String) -> CommandFailure {
      CommandFailure(
        "\(text.debugDescription) is no item of a request. Write a field as Name:value, a parameter of the query as "
          + "name==value, content as name=text or name:=JSON, and a file as name@path.", .usage)
    }

    private static let backslash = UInt8(ascii: "\\")

    private static func isSpecial(_ byte: UInt8) -> Bool { ":;=@".utf8.contains(byte) }

    private static func sign(in bytes: ArraySlice<UInt8>) -> Sign? {
      Sign.byLength.first { bytes.starts(with: $0.bytes) }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
      var output: [UInt8] = []
      var rest = bytes
      while let byte = rest.popFirst() {
        guard byte == backslash, let next = rest.first, isSpecial(next) else {
          output.append(byte)
          continue
        }
        output.append(next)
        rest.removeFirst()
      }
      return String(decoding: output, as: UTF8.self)
    }
  }
#endif
