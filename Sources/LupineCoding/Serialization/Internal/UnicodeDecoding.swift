import LupineCore
import LupineFoundation
import LupineSupport

/// The encodings of Unicode, with their byte order marks.
enum UnicodeDecoding {
  static func utf8(_ data: Data) throws(LupineError) -> String {
    let mark = data.starts(with: ByteOrderMark.utf8.bytes) ? 3 : 0
    let text = data.dropFirst(mark)
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: text.span)
    } catch {
      throw .undecodable(charset: "UTF-8", offset: mark + error.byteOffsets.lowerBound)
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func utf16(_ data: Data) throws(LupineError) -> String {
    switch ByteOrderMark(startOf: data) {
    case .utf16BigEndian: try marked(data, length: 2, "UTF-16BE")
    // In UTF-16, the bytes FF FE 00 00 are a byte order mark followed by a null character.
    case .utf16LittleEndian, .utf32LittleEndian: try marked(data, length: 2, "UTF-16LE")
    default: try IconvDecoding(charset: "UTF-16BE").decode(data)
    }
  }

  static func utf32(_ data: Data) throws(LupineError) -> String {
    switch ByteOrderMark(startOf: data) {
    case .utf32BigEndian: try marked(data, length: 4, "UTF-32BE")
    case .utf32LittleEndian: try marked(data, length: 4, "UTF-32LE")
    default: try IconvDecoding(charset: "UTF-32BE").decode(data)
    }
  }

  private static func marked(_ data: Data, length: Int, _ charset: String) throws(LupineError) -> String {
    try IconvDecoding(charset: charset).decode(data.dropFirst(length), offset: length)
  }
}

extension ByteOrderMark {
  var encoding: TextEncoding {
    switch self {
    case .utf8: .utf8
    case .utf16LittleEndian, .utf16BigEndian: .utf16
    case .utf32LittleEndian, .utf32BigEndian: TextEncoding("UTF-32")
    }
  }
}

/// The encodings whose bytes equal the first characters of Unicode.
enum SingleByteDecoding {
  static func ascii(_ data: Data, name: String) throws(LupineError) -> String {
    if let index = data.firstIndex(where: { $0 >= 0x80 }) {
      throw .undecodable(charset: name, offset: index - data.startIndex)
    }
    return String(decoding: data, as: UTF8.self)
  }

  static func isoLatin1(_ data: Data) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(data.count + data.count / 8)
    for byte in data {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(0xC0 | (byte >> 6))
        text.append(0x80 | (byte & 0x3F))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension LupineError {
  /// The error for bytes that are invalid in an encoding.
  static func undecodable(charset: String, offset: Int, truncated: Bool = false) -> LupineError {
    let charset = charset.escapingControls(limit: 64)
    let fault = truncated ? "ends in the middle of the character at byte \(offset)" : "is invalid at byte \(offset)"
    return LupineError(
      .serializationFailed,
      "The text is not valid \(charset): it \(fault). Name its encoding with `.string(encoding:)`, "
        + "or serialize it as data.")
  }
}

/// Decodes text through the C library's iconv, a block at a time.
struct IconvDecoding {
  let charset: String
  private static let blockSize = 16 << 10

  /// Whether iconv has the charset.
  var isKnown: Bool {
    do throws(LupineError) {
      _ = try IconvConverter(charset: charset)
      return true
    } catch {
      return false
    }
  }

  /// Decodes the bytes.
  ///
  /// - Parameter offset: the number of bytes before them, for the error message.
  func decode(_ data: Data, offset: Int = 0) throws(LupineError) -> String {
    let converter = try IconvConverter(charset: charset)
    var text: [UInt8] = []
    text.reserveCapacity(data.count + data.count / 2)
    var position = 0
    var isFlushing = false
    while true {
      let step = data.withUnsafeBytes { input in
        let rest = isFlushing ? nil : UnsafeRawBufferPointer(rebasing: input[position...])
        return converter.convert(rest, into: &text, blockSize: Self.blockSize)
      }
      position += step.consumed
      switch step.end {
      case .done where isFlushing: return Self.withoutMark(text)
      case .done: isFlushing = true
      case .outputFull where step.consumed > 0 || step.produced > 0: continue
      case .truncated: throw .undecodable(charset: charset, offset: offset + position, truncated: true)
      case .invalid, .outputFull: throw .undecodable(charset: charset, offset: offset + position)
      }
    }
  }

  private static func withoutMark(_ text: [UInt8]) -> String {
    let mark = ByteOrderMark.utf8.bytes
    return String(decoding: text.starts(with: mark) ? text.dropFirst(mark.count) : text[...], as: UTF8.self)
  }
}
