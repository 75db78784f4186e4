import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMultipart
import Testing

/// Names and file names of parts.
@Suite struct NamesTests {
  @Test(arguments: [
    ("a\"b", "a%22b"), ("a\rb", "a%0Db"), ("a\nb", "a%0Ab"), ("\r\n", "%0D%0A"), ("ü日🦄", "ü日🦄"), ("a\\b", "a\\b"),
    ("a\\", "a%5C"), ("a\\\"", "a\\%22"), ("a;b=c", "a;b=c"), ("%22", "%22"), ("", ""), ("a\tb", "a\tb"),
  ]) func `names and file names are escaped as browsers escape them`(name: String, expected: String) throws {
    var form = try MultipartFormData(boundary: "b")
    form.append("x", name: name, fileName: name, contentType: "text/plain")
    let line = "Content-Disposition: form-data; name=\"\(expected)\"; filename=\"\(expected)\""
    #expect(try text(of: form).split(separator: "\r\n", omittingEmptySubsequences: false)[1] == line)
  }

  @Test(arguments: (0...0x20).map { UInt8($0) }.filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) } + [0x7F])
  func `other control bytes are refused, and the error names the part`(byte: UInt8) async throws {
    for isName in [true, false] {
      var form = MultipartFormData()
      let odd = "odd\(Character(UnicodeScalar(byte)))"
      form.append("x", name: "fine")
      form.append("x", name: isName ? odd : "name", fileName: isName ? nil : odd)
      let error = try await failure { _ = try form.asBody() }
      #expect(error.kind == .invalidRequest)
      #expect(error.message.hasPrefix("Part 2 "))
      #expect(!error.message.utf8.contains(byte))
    }
  }

  @Test(arguments: ["text/plain\r\nX-Evil: 1", "text/plain\n", "text\0", "text/plain\u{7F}", "", " text/plain"])
  func `a content type that would start a line of its own is refused`(type: String) async throws {
    var form = MultipartFormData()
    form.append("x", name: "name", contentType: type)
    #expect(try await failure { _ = try form.asBody() }.kind == .invalidRequest)
  }

  @Test func `a part's own fields put no line of their own on the wire`() throws {
    var form = try MultipartFormData(boundary: "b")
    form.append("x", name: "name", headers: [.contentLanguage: "en\r\nX-Evil: 1"])
    let encoded = (try? text(of: form)) ?? ""
    #expect(!encoded.contains("\r\nX-Evil"))
  }

  @Test func `a control byte in a part's own field is refused`() async throws {
    var form = MultipartFormData()
    let field = HTTPField(name: .contentLanguage, lenientValue: [0x65, 0x01, 0x6E])
    form.append("x", name: "name", headers: HTTPFields([field]))
    #expect(try await failure { _ = try form.asBody() }.kind == .invalidRequest)
  }

  @Test func `a disposition of the caller's would contradict the name`() async throws {
    var form = MultipartFormData()
    form.append("x", name: "name", headers: [.contentDisposition: "form-data; name=\"other\""])
    #expect(try await failure { _ = try form.asBody() }.kind == .invalidRequest)
  }

  @Test(arguments: ["a\"b", "\r\n", "ü", "a\\", "plain", "%", "a\\b"])
  func `a part returns its names as they were given`(name: String) {
    var form = MultipartFormData()
    form.append("x", name: name, fileName: name)
    #expect(form.parts[0].name == name)
    #expect(form.parts[0].fileName == name)
  }
}
