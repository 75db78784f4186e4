import LupineFoundation
import LupineCore
import LupineSupport

/// Decodes text through the C library's iconv, a block at a time.
struct IconvDecoding {
  let charset: String
  private static let blockSize = 16 << 10

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
