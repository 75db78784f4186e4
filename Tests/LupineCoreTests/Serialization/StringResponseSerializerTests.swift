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

  @Test func `an unknown charset is an error that names it`() throws {
    let error = try failure(of: .string, try received("x", contentType: "text/plain; charset=x-nonsense"))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("x-nonsense") == true)
  }

  @Test func `a 204 gives an empty text`() throws {
    #expect(try StringResponseSerializer().serialize(try received("", status: 204)) == "")
  }
}
