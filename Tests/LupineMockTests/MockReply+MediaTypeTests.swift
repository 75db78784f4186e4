import Testing

@testable import LupineMock

@Suite struct MockReplyMediaTypeTests {
  @Test(arguments: [
    ("a.json", "application/json"), ("/x.y/a.HTML", "text/html; charset=utf-8"), ("a.txt", "text/plain; charset=utf-8"),
    ("a.plist", "application/x-plist"), ("a.woff2", "font/woff2"), ("a", "application/octet-stream"),
    ("a.json/b", "application/octet-stream"), ("a.", "application/octet-stream"),
  ])
  func `a file's type follows from its extension`(path: String, type: String) {
    #expect(MockReply.mediaType(ofFile: path) == type)
  }
}
