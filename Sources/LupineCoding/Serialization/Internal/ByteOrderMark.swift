import FoundationEssentials

/// The bytes at the start of a text that tell its encoding.
package enum ByteOrderMark: CaseIterable {
  // The longer marks come first: the shorter ones are their beginnings.
  case utf32LittleEndian, utf32BigEndian, utf8, utf16LittleEndian, utf16BigEndian

  init?(startOf data: Data) {
    guard let mark = Self.allCases.first(where: { data.starts(with: $0.bytes) }) else { return nil }
    self = mark
  }

  package var bytes: [UInt8] {
    switch self {
    case .utf32LittleEndian: [0xFF, 0xFE, 0, 0]
    case .utf32BigEndian: [0, 0, 0xFE, 0xFF]
    case .utf8: [0xEF, 0xBB, 0xBF]
    case .utf16LittleEndian: [0xFF, 0xFE]
    case .utf16BigEndian: [0xFE, 0xFF]
    }
  }

  var encoding: TextEncoding {
    switch self {
    case .utf8: .utf8
    case .utf16LittleEndian, .utf16BigEndian: .utf16
    case .utf32LittleEndian, .utf32BigEndian: TextEncoding("UTF-32")
    }
  }
}
