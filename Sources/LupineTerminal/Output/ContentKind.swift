#if Terminal
  import LupineCore

  /// How a terminal shows content.
  enum ContentKind {
    case json
    case text
    /// Text in ISO 8859-1, or in Windows-1252, which differs in punctuation alone.
    case latin
    /// Content that is no text, which is not shown.
    case binary

    /// Chooses the kind by the declared type and the first bytes.
    init(_ type: MediaType?, beginning: [UInt8]) {
      let isDeclaredText = type.map { $0.isJSON || $0.type == "text" } ?? false
      if type.map(Self.isBinary) == true || Self.looksBinary(beginning, isDeclaredText: isDeclaredText) {
        self = .binary
      } else if type?.isJSON == true {
        self = .json
      } else {
        let charset = type?.charset?.lowercased() ?? ""
        self = ["iso-8859-1", "latin1", "windows-1252"].contains(charset) ? .latin : .text
      }
    }

    private static func isBinary(_ type: MediaType) -> Bool {
      switch type.type {
      case "image": !type.subtype.hasSuffix("xml")
      case "audio", "video", "font": true
      default: false
      }
    }

    /// Whether the bytes have a zero byte, or, if the type is not that of a text, more than a tenth of them are neither
    /// text nor UTF-8.
    private static func looksBinary(_ bytes: [UInt8], isDeclaredText: Bool) -> Bool {
      let sample = bytes.prefix(1_024)
      if sample.contains(0) { return true }
      if isDeclaredText { return false }
      let decoded = String(decoding: sample, as: UTF8.self).unicodeScalars
      let odd = decoded.count { $0 == "\u{FFFD}" || $0.value < 0x09 || (0x0E..<0x1B).contains($0.value) }
      return odd * 10 > decoded.count
    }
  }
#endif
