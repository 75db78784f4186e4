import LupineCore
import LupineSupport

extension Substring {
  /// Returns the percent-decoded text; invalid UTF-8 is replaced.
  func percentDecoded(plusIsSpace: Bool = false) -> String {
    guard utf8.contains(UInt8(ascii: "%")) || plusIsSpace && utf8.contains(UInt8(ascii: "+")) else {
      return String(self)
    }
    return String(decoding: PercentCoding.decoded(self, plusIsSpace: plusIsSpace).bytes, as: UTF8.self)
  }
}
