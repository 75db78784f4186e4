import HTTPTypes
import Testing

@testable import LupineCore

struct FieldRulesTests {
  @Test(arguments: UInt8.min...UInt8.max)
  func `a byte is judged alike wherever it stands inside a value`(byte: UInt8) {
    let isAllowed = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    var misjudged: [[UInt8]] = []
    for length in 3...18 {
      for position in 1..<length - 1 {
        // These neighbours cause a borrow or a carry in arithmetic on several bytes at once.
        for neighbour: UInt8 in [0x21, 0x80, 0xFF] {
          var bytes = [UInt8](repeating: neighbour, count: length)
          bytes[position] = byte
          if bytes.withUnsafeBufferPointer({ FieldRules.isValid($0) }) != isAllowed { misjudged.append(bytes) }
        }
      }
    }
    #expect(misjudged.isEmpty)
  }

  @Test(arguments: [" a", "a ", "\ta", "a\t", " "])
  func `white space at an end is refused`(value: String) {
    #expect(!FieldRules.isValid(value: value))
  }

  @Test(
    arguments: [
      ([.contentLength: "5"], "The transport sets Content-Length"),
      ([.transferEncoding: "chunked"], "The transport sets Transfer-Encoding"),
      ([.accept: "a", .contentLength: "5", .transferEncoding: "chunked"], "The transport sets Content-Length"),
      (HTTPFields([HTTPField(name: .userAgent, lenientValue: "a\u{1}b".utf8)]), "The value of User-Agent"),
    ] as [(HTTPFields, String)])
  func `fields that no transport may send are refused`(fields: HTTPFields, message: String) throws {
    let request = OutgoingRequest(url: try HTTPURL("http://a.example/"), headers: fields)
    let error = #expect(throws: LupineError.self) { try RequestRules.checkFields(of: request, limit: .max) }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.hasPrefix(message) == true)
  }

  @Test func `fields of more bytes than the limit are refused`() throws {
    let request = OutgoingRequest(url: try HTTPURL("http://a.example/"), headers: [.accept: "text/plain"])
    let size = "Accept: text/plain\r\n".utf8.count
    try RequestRules.checkFields(of: request, limit: size)
    let error = #expect(throws: LupineError.self) { try RequestRules.checkFields(of: request, limit: size - 1) }
    #expect(error?.kind == .limitExceeded(.requestFields))
  }
}
