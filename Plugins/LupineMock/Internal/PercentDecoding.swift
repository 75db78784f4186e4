extension StringProtocol {
  /// The text with its percent escapes undone; bytes that are no UTF-8 are replaced.
  func percentDecoded(plusIsSpace: Bool = false) -> String {
    guard utf8.contains(UInt8(ascii: "%")) || plusIsSpace && utf8.contains(UInt8(ascii: "+")) else {
      return String(self)
    }
    var decoded: [UInt8] = []
    var bytes = Array(utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"), bytes.count >= 2, let high = bytes[bytes.startIndex].hexValue,
        let low = bytes[bytes.startIndex + 1].hexValue
      {
        decoded.append(high << 4 | low)
        bytes = bytes.dropFirst(2)
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
