import Foundation
import Testing

@testable import LupineCore
@testable import LupineCoding

@Suite struct StringResponseSerializerTests {
  @Test(
    arguments: [
      (nil, nil, [0xE9], "é"),
      (nil, "text/plain", [0xC3, 0xA9], "Ã©"),
      (nil, "text/plain; charset=utf-8", [0xC3, 0xA9], "é"),
      (nil, "text/plain; charset=\"koi8-r\"", [0xF0], "П"),
      (nil, "application/json", [0xC3, 0xA9], "é"),
      (nil, "application/problem+json", [0xC3, 0xA9], "é"),
      (nil, "text/plain", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
      (nil, "text/plain", [0xFF, 0xFE, 0xE9, 0x00], "é"),
      (.utf8, "text/plain; charset=koi8-r", [0xC3, 0xA9], "é"),
      (nil, "not a media type", [0xE9], "é"),
    ] as [(TextEncoding?, String?, [UInt8], String)])
  func `the encoding is the given one, else the response's`(
    encoding: TextEncoding?, contentType: String?, bytes: [UInt8], text: String
  ) throws {
    let serializer = StringResponseSerializer(encoding: encoding)
    #expect(try serializer.serialize(try received(bytes, contentType: contentType)) == text)
  }

  @Test(arguments: ["x-nonsense", "utf-8mb4", "default", "a/b"])
  func `text of an unknown charset that is valid UTF-8 is UTF-8, with a warning`(charset: String) throws {
    let warnings = Notes<String>()
    var response = try received("é", contentType: "text/plain; charset=\"\(charset)\"")
    response.warn = { warnings.add($0) }
    #expect(try StringResponseSerializer().serialize(response) == "é")
    #expect(warnings.all.count == 1 && warnings.all.first?.contains(charset) == true)
  }

  @Test func `a known charset gives no warning, even if the text is valid UTF-8`() throws {
    let warnings = Notes<String>()
    var response = try received("é", contentType: "text/plain; charset=koi8-r")
    response.warn = { warnings.add($0) }
    #expect(try StringResponseSerializer().serialize(response) == "ц╘")
    #expect(warnings.all.isEmpty)
  }

  @Test func `an unknown charset of other text, or one that the program gives, is an error that names it`() throws {
    let given = StringResponseSerializer(encoding: TextEncoding("x-nonsense"))
    #expect(try failure(of: given, try received("x"))?.message.contains("x-nonsense") == true)
    let error = try failure(of: .string, try received([0xFF], contentType: "text/plain; charset=x-nonsense"))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("x-nonsense") == true)
  }

  @Test func `a 204 gives an empty text`() throws {
    #expect(try StringResponseSerializer().serialize(try received("", status: 204)) == "")
  }
}
