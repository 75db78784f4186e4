public import LupineCore
public import LupineFoundation

/// A character encoding by its IANA name, such as the C library's iconv supports.
///
/// UTF-8, US-ASCII and ISO 8859-1 are decoded without iconv. `iso-8859-1` has the meaning of RFC 9110, not windows-1252
/// as in browsers.
public struct TextEncoding: Sendable, Hashable {
  /// The name as it was given, such as `Shift_JIS`.
  public let name: String

  /// Creates an encoding by its name; an unknown name is an error when something is decoded.
  public init(_ name: String) { self.name = name }

  /// Whether bytes can be decoded: whether the C library's iconv has the encoding.
  public var isKnown: Bool {
    if case .other(let charset) = Form(name) { IconvDecoding(charset: charset).isKnown } else { true }
  }

  /// Decodes the bytes, without a byte order mark at their start.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` that names the encoding and the offset of the first invalid
  ///   byte, counted from 0, or reports that the encoding is unknown.
  public func decode(_ data: Data) throws(LupineError) -> String {
    switch Form(name) {
    case .utf8: try UnicodeDecoding.utf8(data)
    case .ascii: try SingleByteDecoding.ascii(data, name: name)
    case .isoLatin1: SingleByteDecoding.isoLatin1(data)
    case .utf16: try UnicodeDecoding.utf16(data)
    case .utf32: try UnicodeDecoding.utf32(data)
    case .other(let charset): try IconvDecoding(charset: charset).decode(data)
    }
  }
}

extension TextEncoding {
  /// UTF-8.
  public static let utf8 = TextEncoding("UTF-8")
  /// UTF-16 in the byte order of its byte order mark, else big-endian (RFC 2781 section 4.3).
  public static let utf16 = TextEncoding("UTF-16")
  /// UTF-16 in big-endian byte order.
  public static let utf16BigEndian = TextEncoding("UTF-16BE")
  /// UTF-16 in little-endian byte order.
  public static let utf16LittleEndian = TextEncoding("UTF-16LE")
  /// US-ASCII; a byte above 127 is an error.
  public static let ascii = TextEncoding("US-ASCII")
  /// ISO 8859-1, whose bytes are the first 256 characters of Unicode.
  public static let isoLatin1 = TextEncoding("ISO-8859-1")
  /// ISO 8859-2, Central European.
  public static let isoLatin2 = TextEncoding("ISO-8859-2")
  /// windows-1251, Cyrillic.
  public static let windows1251 = TextEncoding("windows-1251")
  /// windows-1252, Western European.
  public static let windows1252 = TextEncoding("windows-1252")
  /// KOI8-R, Russian.
  public static let koi8R = TextEncoding("KOI8-R")
  /// Shift JIS, Japanese.
  public static let shiftJIS = TextEncoding("Shift_JIS")
  /// EUC-JP, Japanese.
  public static let eucJP = TextEncoding("EUC-JP")
  /// ISO-2022-JP, Japanese.
  public static let iso2022JP = TextEncoding("ISO-2022-JP")
  /// EUC-KR, Korean.
  public static let eucKR = TextEncoding("EUC-KR")
  /// GB 18030, Chinese.
  public static let gb18030 = TextEncoding("GB18030")
  /// Big5, Chinese.
  public static let big5 = TextEncoding("Big5")

  /// Compares the names without regard to case.
  public static func == (left: TextEncoding, right: TextEncoding) -> Bool {
    left.name.lowercased() == right.name.lowercased()
  }

  /// Hashes the name without regard to case.
  public func hash(into hasher: inout Hasher) { hasher.combine(name.lowercased()) }

  /// How the bytes are decoded.
  private enum Form {
    case utf8, ascii, isoLatin1, utf16, utf32
    case other(String)

    init(_ name: String) {
      switch name.lowercased() {
      case "utf-8", "utf8": self = .utf8
      case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "csascii": self = .ascii
      case "iso-8859-1", "iso_8859-1", "iso8859-1", "latin1", "l1", "csisolatin1": self = .isoLatin1
      case "utf-16", "utf16", "csutf16": self = .utf16
      case "utf-32", "utf32", "csutf32": self = .utf32
      default: self = .other(name)
      }
    }
  }
}
