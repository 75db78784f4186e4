import Foundation
import Testing

@testable import LupineCore
@testable import LupineCoding

@Suite struct TextEncodingTests {
  @Test(
    arguments: [
      ("utf-8", [0x68, 0xC3, 0xA9], "hé"),
      ("UTF8", [0xEF, 0xBB, 0xBF, 0x68], "h"),
      ("us-ascii", [0x68, 0x69], "hi"),
      ("ISO-8859-1", [0x68, 0xE9, 0x80], "hé\u{80}"),
      ("latin1", [0xFF], "ÿ"),
      ("windows-1252", [0x80, 0x93], "€“"),
      ("iso-8859-2", [0xB1], "ą"),
      ("windows-1251", [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2], "Привет"),
      ("koi8-r", [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
      ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"),
      ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
      ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
      ("gb18030", [0xC4, 0xE3, 0x81, 0x30, 0x81, 0x30], "你\u{80}"),
      ("big5", [0xA7, 0x41], "你"),
      ("utf-16", [0xFE, 0xFF, 0x00, 0x68, 0xD8, 0x3D, 0xDE, 0x00], "h😀"),
      ("utf-16", [0xFF, 0xFE, 0x68, 0x00], "h"),
      ("utf-16", [0x00, 0x68], "h"),
      ("utf-16le", [0x68, 0x00], "h"),
      ("utf-16le", [0xFF, 0xFE, 0x68, 0x00], "h"),
      ("utf-32", [0xFF, 0xFE, 0, 0, 0x68, 0, 0, 0], "h"),
      ("utf-32", [0, 0, 0, 0x68], "h"),
      ("koi8-r", [], ""),
    ] as [(String, [UInt8], String)])
  func `a text is decoded`(charset: String, bytes: [UInt8], text: String) throws {
    #expect(try TextEncoding(charset).decode(Data(bytes)) == text)
  }

  @Test(
    arguments: [
      ("utf-8", [0x68, 0xC3, 0x28], 1),
      ("utf-8", [0xEF, 0xBB, 0xBF, 0x68, 0xFF], 4),
      ("us-ascii", [0x68, 0x69, 0xE9], 2),
      ("shift_jis", [0x68, 0x93], 1),
      ("utf-16", [0xFE, 0xFF, 0x00, 0x68, 0xD8], 4),
      ("utf-16", [0xFF, 0xFE, 0x00, 0xDC, 0x00, 0x00], 2),
      ("gb18030", [0x68, 0x69, 0xFF], 2),
    ] as [(String, [UInt8], Int)])
  func `an error names the charset and the offset`(charset: String, bytes: [UInt8], offset: Int) throws {
    let error = #expect(throws: LupineError.self) { try TextEncoding(charset).decode(Data(bytes)) }
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.lowercased().contains(charset) == true)
    #expect(error?.message.contains("byte \(offset)") == true, "\(String(describing: error))")
  }

  @Test(arguments: ["x-nonsense", "", "utf-8//TRANSLIT", "../x", "a\0b", String(repeating: "x", count: 65)])
  func `an unknown charset is an error`(charset: String) {
    let error = #expect(throws: LupineError.self) { try TextEncoding(charset).decode(Data([0x68])) }
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("is unknown") == true)
  }

  @Test func `a text longer than one block is decoded whole`() throws {
    let text = String(repeating: "Привет", count: 20_000)
    let bytes = Array(repeating: [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4] as [UInt8], count: 20_000).joined()
    #expect(try TextEncoding.koi8R.decode(Data(bytes)) == text)
  }

  @Test func `a slice is counted from its own start`() {
    let slice = Data([0, 0, 0, 0x68, 0xE9]).dropFirst(3)
    let error = #expect(throws: LupineError.self) { try TextEncoding.ascii.decode(slice) }
    #expect(error?.message.contains("byte 1") == true)
  }

  @Test func `names are compared without regard to case`() {
    #expect(TextEncoding("UTF-8") == TextEncoding("utf-8"))
    #expect(Set([TextEncoding("UTF-8"), TextEncoding("utf-8")]).count == 1)
  }
}
