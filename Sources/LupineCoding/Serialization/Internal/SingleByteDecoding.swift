import FoundationEssentials
import LupineCore
import LupineSupport

/// The encodings whose bytes are Unicode's first characters.
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
  /// Bytes that do not belong to an encoding.
  static func undecodable(charset: String, offset: Int, truncated: Bool = false) -> LupineError {
    let charset = charset.escapingControls(limit: 64)
    let fault = truncated ? "ends in the middle of the character at byte \(offset)" : "breaks off at byte \(offset)"
    return LupineError(
      .serializationFailed,
      "The text is not valid \(charset): it \(fault). Name its real encoding, as in `.string(encoding:)`, "
        + "or take it as data.")
  }
}
