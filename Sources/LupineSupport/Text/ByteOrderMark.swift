/// The bytes at the start of a text that identify its encoding.
public enum ByteOrderMark: CaseIterable, Sendable {
  // Longer marks come first, because they begin with the shorter ones.
  case utf32LittleEndian, utf32BigEndian, utf8, utf16LittleEndian, utf16BigEndian

  /// The mark at the start of a text; `nil` if there is none.
  public init?(startOf text: some Sequence<UInt8>) {
    guard let mark = Self.allCases.first(where: { text.starts(with: $0.bytes) }) else { return nil }
    self = mark
  }

  /// The bytes of the mark.
  public var bytes: [UInt8] {
    switch self {
    case .utf32LittleEndian: [0xFF, 0xFE, 0, 0]
    case .utf32BigEndian: [0, 0, 0xFE, 0xFF]
    case .utf8: [0xEF, 0xBB, 0xBF]
    case .utf16LittleEndian: [0xFF, 0xFE]
    case .utf16BigEndian: [0xFE, 0xFF]
    }
  }
}
