import FoundationEssentials
import LupineSupport
import Testing

@testable import LupineMultipart

@Suite struct MediaTypesTests {
  @Test(arguments: [
    ("a.png", "image/png"), ("A.PNG", "image/png"), ("/x.y/photo.jpeg", "image/jpeg"), ("a.tar", "application/x-tar"),
    ("noextension", MediaTypes.unknown), (".", MediaTypes.unknown), ("", MediaTypes.unknown),
    ("a.unheard-of", MediaTypes.unknown), ("a.html", "text/html"), ("video.mp4", "video/mp4"),
    ("a.b.pdf", "application/pdf"),
    (String(repeating: ".", count: 100_000), MediaTypes.unknown),
  ]) func `a file's type follows from its name`(name: String, type: String) {
    #expect(MediaTypes.builtIn.type(forFileName: name) == type)
    #expect(MediaTypes.system.type(forFileName: name) == type)
  }

  @Test func `the built-in table has more than ten types`() {
    let kinds = ["webp", "woff2", "csv", "docx", "mp3", "mkv", "json", "yaml", "7z", "svg", "ico", "txt", "wasm"]
    #expect(kinds.allSatisfy { MediaTypes.builtIn.type(forExtension: $0) != nil })
  }

  @Test func `a longer extension comes before a shorter one`() {
    let types = MediaTypes(["gz": "application/gzip", "tar.gz": "application/x-tgz"])
    #expect(types.type(forFileName: "a.tar.gz") == "application/x-tgz")
    #expect(types.type(forFileName: "a.txt.gz") == "application/gzip")
  }

  @Test func `the program's types come before all others`() {
    #expect(MediaTypes.system.adding([".PNG": "image/x-mine"]).type(forExtension: "png") == "image/x-mine")
  }

  @Test func `of several types in shared-mime-info's list the heaviest counts`() {
    let text = """
      # a comment
      50:application/x-first:*.one
      60:application/x-heavy:*.one
      50:application/x-third:*.one
      50:text/x-qt:*.ts
      50:video/mp2t:*.ts
      50:text/x-makefile:makefile
      50:x/y:*.b[cd]
      broken
      50:image/png:*.PNG:cs
      """
    let types = SystemMediaTypes.globs(text, preferring: ["ts": "video/mp2t"])
    #expect(types == ["one": "application/x-heavy", "ts": "video/mp2t", "png": "image/png"])
  }

  @Test func `a list in the form of mime.types is read`() {
    let text = "# comment\nimage/jpeg\t\tjpeg jpg\r\napplication/x-nothing\nimage/pjpeg jpg\n"
    #expect(MediaTypeTable.list(text) == ["jpeg": "image/jpeg", "jpg": "image/jpeg"])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: SystemMediaTypes.globsPath)))
  func `the system's list is used if it exists`() throws {
    let types = try #require(SystemMediaTypes.load(preferring: [:]))
    #expect(types.count > 500)
    #expect(MediaTypes.system.type(forExtension: "odt") == types["odt"])
  }
}
