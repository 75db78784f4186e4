import HTTPTypes
import LupineFoundation
import Testing

@testable import LupineTransfers

@Suite struct SuggestedNameTests {
  private func name(_ values: [[UInt8]], path: String = "/dir/url.bin") -> String {
    var fields = HTTPFields()
    for value in values { fields.append(HTTPField(name: .contentDisposition, value: value)) }
    return SuggestedName.name(from: fields, path: path)
  }

  private func name(_ values: String...) -> String { name(values.map { Array($0.utf8) }) }

  @Test(arguments: [
    // The grammar of RFC 6266, and the examples of its section 5.
    ("Attachment; filename=example.html", "example.html"), (#"INLINE; FILENAME= "an example.html""#, "an example.html"),
    ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
    (#"attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates"#, "€ rates"),
    (#"attachment; filename*=UTF-8''b; filename="a""#, "b"),
    // Blanks, and values without quotes.
    ("attachment; filename=a file (1).txt", "a file (1).txt"), (#"attachment; filename = "x""#, "x"),
    ("attachment ;filename\t=\t x.txt ;size=3", "x.txt"), ("attachment; filename=a[1],b@c.txt", "a[1],b@c.txt"),
    ("attachment;filename=a=b.txt", "a=b.txt"),
    // Quotes.
    (#"attachment; filename="unclosed.txt"#, "unclosed.txt"),
    (#"attachment; filename="unclosed.txt; size=3"#, "unclosed.txt"),
    (#"attachment; name="x; filename=y.txt"#, "y.txt"), (#"attachment; filename="a;b.txt"; size=3"#, "a;b.txt"),
    ("attachment; filename='single.txt'", "single.txt"), ("attachment; filename='tis.txt", "'tis.txt"),
    (#"attachment; filename="a \"b\".txt""#, #"a "b".txt"#), (#"attachment; filename="a"b.txt"#, "a"),
    (#"attachment; filename="C:\temp\x.txt""#, "x.txt"), (#"attachment; filename="a\"#, "a"),
    // Without a type, and without the `;` after it.
    ("filename=x.txt", "x.txt"), (#"filename="x y.txt"; size=3"#, "x y.txt"), ("; filename=x.txt", "x.txt"),
    ("attachment filename=x.txt", "x.txt"), (";;attachment;;filename=x.txt;;", "x.txt"),
    // Umlauts, and the forms of `filename*`.
    ("attachment; filename=grüße.txt", "grüße.txt"), (#"attachment; filename="grüße.txt""#, "grüße.txt"),
    ("attachment; filename*=utf8''gr%C3%BC%C3%9Fe.txt", "grüße.txt"),
    ("attachment; filename*=UTF-8'de'gr%C3%BC%C3%9Fe.txt", "grüße.txt"),
    (#"attachment; filename*="UTF-8''gr%C3%BC%C3%9Fe.txt""#, "grüße.txt"),
    ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"), ("attachment; filename*=koi8-r''%C1", "а"),
    ("attachment; filename*=no-such''a; filename=b", "b"), ("attachment; filename*=x.txt; filename=b", "b"),
    ("attachment; filename*=UTF-8''%FF; filename=b", "b"), ("attachment; filename*=UTF-8''a%2; filename=b", "b"),
    (#"attachment; filename*0="a long "; filename*1="name.txt""#, "a long name.txt"),
    ("attachment; filename*1*=b; filename*0*=UTF-8''%C3%BC", "üb"),
    // Several names, and none.
    ("attachment; filename=a; filename=b", "a"), (#"attachment; filename=""; filename*=UTF-8''"#, "url.bin"),
    ("attachment", "url.bin"), ("", "url.bin"), ("=", "url.bin"), (";=;\";'", "url.bin"), ("filename", "url.bin"),
    ("attachment; filename=", "url.bin"), ("attachment; xfilename=a", "url.bin"),
    (#"attachment; filename=""#, "url.bin"),
  ])
  func `a name that breaks the grammar is taken as curl and wget take it`(disposition: String, expected: String) {
    #expect(name(disposition) == expected)
  }

  @Test(arguments: [
    ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..", "url.bin"), ("../", "url.bin"),
    ("a/..", "url.bin"),
    (#"..\..\x.exe"#, "x.exe"), ("C:x.exe", "x.exe"), ("~root", "root"), (".bashrc", "bashrc"), ("-rf", "rf"),
    ("a/\u{301}b", "\u{301}b"), ("x/\u{301}../\u{301}../y", "y"), ("x/\u{200D}../\u{200D}", "\u{200D}"),
    ("a\\\u{308}b", "\u{308}b"),
  ])
  func `no form of a name is a path`(text: String, expected: String) {
    #expect(name("attachment; filename=\(text)") == expected)
    #expect(name("filename=\"\(text)") == expected)
    #expect(name("filename='\(text)'") == expected)
    let coded = text.utf8.map { "%" + String($0, radix: 16) }.joined()
    #expect(name("attachment; filename*=utf8''" + coded) == expected)
  }

  @Test func `bytes that are not UTF-8 are those of ISO 8859-1`() {
    let latin = Array("attachment; filename=\"gr".utf8) + [0xFC, 0xDF] + Array("e.txt\"".utf8)
    #expect(name([latin]) == "grüße.txt")
  }

  @Test func `of several fields the first with a name counts`() {
    #expect(name("attachment", "attachment; filename=a", "attachment; filename=b") == "a")
    #expect(name("attachment; filename=a", "attachment; filename=a") == "a")
    #expect(name("attachment; filename=/", "attachment; filename=b") == "b")
  }

  @Test func `each value that begins or ends anywhere gives one name without a slash`() {
    let text = #"attachment; filename = "../a/../b\".txt'; filename*=UTF-8''..%2F%C3%BC%2f..; filename*0*='x/y"#
    for start in text.indices {
      for end in text.indices where end > start {
        let name = name(String(text[start..<end]))
        #expect(!name.isEmpty && !name.utf8.contains(0x2F) && !name.hasPrefix("."), "\(text[start..<end])")
      }
    }
  }

  @Test func `a value of more than 4,096 bytes has no name`() {
    #expect(name("filename=a;" + String(repeating: "x", count: 4_085)) == "a")
    #expect(name("filename=a;" + String(repeating: "x", count: 4_086)) == "url.bin")
  }
}
