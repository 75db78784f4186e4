import FoundationEssentials
import LupineCore

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
    // FF FE 00 00 is a mark of UTF-16 followed by a null character when the text is known to be UTF-16.
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
