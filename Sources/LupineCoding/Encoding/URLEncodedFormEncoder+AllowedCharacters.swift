public import LupineSupport

extension URLEncodedFormEncoder {
  /// A set of ASCII characters that are not escaped in a query; all others are percent-encoded.
  public struct AllowedCharacters: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Allows the ASCII characters of a text; other characters are ignored, because a URL cannot contain them.
    public init(_ characters: String) {
      for byte in characters.utf8 where byte < 128 {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
      }
    }

    /// Returns the set with the characters of a text added.
    public func inserting(_ characters: String) -> Self {
      var copy = self
      let others = AllowedCharacters(characters)
      copy.low |= others.low
      copy.high |= others.high
      return copy
    }

    /// Returns the set without the characters of a text.
    public func removing(_ characters: String) -> Self {
      var copy = self
      let others = AllowedCharacters(characters)
      copy.low &= ~others.low
      copy.high &= ~others.high
      return copy
    }

    /// The unreserved characters (RFC 3986 section 2.3).
    public static let unreserved = AllowedCharacters(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The unreserved characters with `/` and `?`, which a query may contain (RFC 3986 section 3.4).
    public static let urlQueryAllowed = unreserved.inserting("/?")

    func contains(_ byte: UInt8) -> Bool {
      if byte < 64 { low >> UInt64(byte) & 1 == 1 } else { byte < 128 && high >> UInt64(byte - 64) & 1 == 1 }
    }
  }
}

extension PercentCoding {
  /// Returns the bytes as text; bytes that are not allowed are percent-encoded.
  public static func encoded(
    _ bytes: [UInt8], allowing allowed: URLEncodedFormEncoder.AllowedCharacters, spaceAsPlus: Bool = false
  ) -> String {
    var output: [UInt8] = []
    append(bytes, to: &output, allowing: allowed, spaceAsPlus: spaceAsPlus)
    return String(decoding: output, as: UTF8.self)
  }

  static func append(
    _ bytes: some Sequence<UInt8>, to output: inout [UInt8],
    allowing allowed: URLEncodedFormEncoder.AllowedCharacters, spaceAsPlus: Bool
  ) {
    for byte in bytes {
      if spaceAsPlus && byte == .space {
        output.append(UInt8(ascii: "+"))
      } else if allowed.contains(byte) {
        output.append(byte)
      } else {
        append(byte, to: &output)
      }
    }
  }
}
