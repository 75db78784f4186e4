import LupineCore
import LupineSupport

extension Substring {
  /// The text with its percent escapes undone; bytes that are no UTF-8 are replaced.
  func percentDecoded(plusIsSpace: Bool = false) -> String {
    guard utf8.contains(UInt8(ascii: "%")) || plusIsSpace && utf8.contains(UInt8(ascii: "+")) else {
      return String(self)
    }
    return String(decoding: PercentCoding.decoded(self, plusIsSpace: plusIsSpace).bytes, as: UTF8.self)
  }
}
