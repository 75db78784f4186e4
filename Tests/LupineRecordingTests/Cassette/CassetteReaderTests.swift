import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineRecording
import Testing

/// A damaged file and the error that it causes.
struct DamagedFile: Sendable, CustomTestStringConvertible {
  let text: String
  let line: Int
  let reason: String

  init(_ text: String, _ line: Int, _ reason: String) {
    self.text = text
    self.line = line
    self.reason = reason
  }

  /// A file whose second block has these lines; the first of them is the third of the file.
  init(entry: String, _ line: Int, _ reason: String) { self.init(Self.header + "\n" + entry, line, reason) }

  /// A file with an exchange whose response has these lines; the first of them is the fifth of the file.
  init(response: String, _ line: Int, _ reason: String) {
    let head = #"{"request":"GET https://a.example/"}"# + "\n" + #"{"response":200}"# + "\n"
    self.init(entry: head + response, line, reason)
  }

  var testDescription: String { "\(text.suffix(80))" }

  static let header = #"{"cassette":1,"recorded":"2026-11-28T22:00:00.000Z"}"# + "\n"
}

/// Files that anyone may have written.
@Suite struct CassetteReaderTests {
  static let damaged: [DamagedFile] = [
    DamagedFile("", 1, "does not begin with {\"cassette\":"),
    DamagedFile("\n\n", 1, "does not begin with {\"cassette\":"),
    DamagedFile("{}\n", 1, "the line has no member"),
    DamagedFile("[]\n", 1, "`{` is missing"),
    DamagedFile("\u{feff}{}\n", 1, "`{` is missing"),
    DamagedFile(" {}\n", 1, "continues no line"),
    DamagedFile(#"{"cassette":0,"recorded":"2026-11-28T22:00:00.000Z"}"#, 1, "wrong place"),
    DamagedFile(#"{"cassette":"1"}"#, 1, "a digit is missing"),
    DamagedFile(#"{"cassette":1}"#, 1, "\"recorded\" is missing"),
    DamagedFile(#"{"cassette":1,"recorded":"2026-13-28T22:00:00.000Z"}"#, 1, "the date"),
    DamagedFile(#"{"cassette":1,"recorded":"2026-11-28T22:00:00Z"}"#, 1, "the date"),
    DamagedFile(#"{"cassette":1,"recorded":"1599-11-28T22:00:00.000Z"}"#, 1, "the date"),
    DamagedFile(
      #"{"cassette":1,"recorded":"2026-11-28T22:00:00.000Z","capabilities":["telepathy"]}"#, 1, "telepathy"),
    DamagedFile(#"{"cassette":1,"recorded":"2026-11-28T22:00:00.000Z","code":"x"}"#, 1, "\"code\" is unknown"),
    DamagedFile(DamagedFile.header + #"{"origin":"a","certificates":["?"]}"#, 2, "not base64"),
    DamagedFile(DamagedFile.header + #"{"origin":"a"}"# + "\n" + #"{"origin":"a"}"#, 3, "twice"),
    DamagedFile(DamagedFile.header + #"{"request":"GET https://a.example/"}"#, 2, "wrong place"),
    DamagedFile(DamagedFile.header + "\n" + DamagedFile.header, 3, "a second header"),
    DamagedFile(entry: #"{"end":"complete"}"#, 3, "wrong place"),
    DamagedFile(entry: #"{"request":"GET"}"#, 3, "has the form"),
    DamagedFile(entry: #"{"request":"GET "}"#, 3, "has the form"),
    DamagedFile(entry: #"{"request":"G{T https://a.example/"}"#, 3, "has the form"),
    DamagedFile(entry: #"{"request":"GET https://a.example/"}"#, 3, "without a line that begins with \"end\""),
    DamagedFile(entry: #"{"request":"GET /","at":1e999}"#, 3, "a time"),
    DamagedFile(entry: #"{"request":"GET /","at":-0}"#, 3, "a time"),
    DamagedFile(entry: #"{"request":"GET /","at":1234567890123}"#, 3, "a time"),
    DamagedFile(entry: #"{"request":"GET /","at":0.0000001}"#, 3, "a time"),
    DamagedFile(entry: #"{"request":"GET /","at":01}"#, 3, "begins with 0"),
    DamagedFile(entry: #"{"request":"GET /","at":1.}"#, 3, "a digit is missing"),
    DamagedFile(entry: #"{"request":"GET /","request":"GET /"}"#, 3, "occurs twice"),
    DamagedFile(entry: #"{"request":"GET /","\u0072equest":"GET /"}"#, 3, "occurs twice"),
    DamagedFile(entry: #"{"request":"GET /","at":1,}"#, 3, "a string is missing"),
    DamagedFile(entry: #"{"request":"GET /"} {}"#, 3, "text follows"),
    DamagedFile(entry: #"{"request":"GET \ud83d"}"#, 3, "half of a character"),
    DamagedFile(entry: #"{"request":"GET \x"}"#, 3, "the escape"),
    DamagedFile(entry: #"{"request":"GET /\u12"}"#, 3, "four hexadecimal digits"),
    DamagedFile(entry: "{\"request\":\"GET /\u{1}\"}", 3, "control character"),
    DamagedFile(entry: #"{"request":"GET /"#, 3, "ends inside a string"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"requests":1}"#, 4, "wrong place"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"end":"complete","after":1}"#, 4, "no response"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"end":"lost"}"#, 4, "\"message\""),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"interim":200}"#, 4, "between 100 and 199"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":199}"#, 4, "between 200 and 999"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":1000}"#, 4, "between 200 and 999"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":2e2}"#, 4, "whole number"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":99999999999999999999}"#, 4, "whole number"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":200,"version":"HTTP/9"}"#, 4, "version"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":200,"from":"me"}"#, 4, "sender"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"response":200,"reason":"\n"}"#, 4, "reason phrase"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":["a"]}"#, 4, "a field has the form"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":["a b: c"]}"#, 4, "a field has the form"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":["a: b\r\nc: d"]}"#, 4, "line break"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":["a: \u0000"]}"#, 4, "zero byte"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":[{"field":"a"}]}"#, 4, "a field has the form"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":[{"name":"a"}]}"#, 4, "\"field\" and"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":"#, 4, "a value is missing"),
    DamagedFile(
      entry: #"{"request":"GET /"}"# + "\n" + #"{"fields":[]}"# + "\n" + #"{"fields":[]}"#, 5, "wrong place"),
    DamagedFile(entry: #"{"request":"GET /"}"# + "\n" + #"{"text":[]}"# + "\n" + #"{"fields":[]}"#, 5, "wrong place"),
    DamagedFile(response: #"{"coded":["gzip"]}"# + "\n" + #"{"fields":[]}"#, 6, "wrong place"),
    DamagedFile(response: #"{"interim":100}"#, 5, "wrong place"),
    DamagedFile(response: #"{"text":"a"}"#, 5, "`[` is missing"),
    DamagedFile(response: "{\"text\":[\n  \"a\",\n  b\n ]}", 7, "a value is missing"),
    DamagedFile(response: #"{"base64":"YQ="}"#, 5, "not base64"),
    DamagedFile(response: #"{"digest":"00","length":1}"#, 5, "64 hexadecimal digits"),
    DamagedFile(response: "{\"digest\":\"\(String(repeating: "a", count: 64))\",\"length\":1}", 5, "cannot be played"),
    DamagedFile(response: #"{"json":{},"style":"pretty"}"#, 5, "style"),
    DamagedFile(response: #"{"json":{},"style":"indented-9"}"#, 5, "style"),
    DamagedFile(response: #"{"json":{},"newline":1}"#, 5, "a value is missing"),
    DamagedFile(response: file("../a"), 5, "a file's name"),
    DamagedFile(response: file("/etc/passwd"), 5, "a file's name"),
    DamagedFile(response: file(#"a\\b"#), 5, "a file's name"),
    DamagedFile(response: file(""), 5, "a file's name"),
    DamagedFile(response: file("."), 5, "a file's name"),
    DamagedFile(response: file("a..b"), 5, "a file's name"),
    DamagedFile(response: file(#"a\u0000b"#), 5, "a file's name"),
    DamagedFile(response: file(String(repeating: "a", count: 256)), 5, "a file's name"),
    DamagedFile(response: #"{"file":"a","length":-1}"#, 5, "whole number"),
    DamagedFile(response: #"{"chunks":[[0,-1]]}"#, 5, "whole number"),
    DamagedFile(response: #"{"chunks":[[0]]}"#, 5, "a chunk has"),
    DamagedFile(response: #"{"chunks":[[]]}"#, 5, "a chunk has"),
    DamagedFile(response: #"{"chunks":[[0,1,2]]}"#, 5, "a chunk has"),
    DamagedFile(response: #"{"chunks":[[0,1]]}"# + "\n" + #"{"end":"complete"}"#, 6, "the chunks have 1 bytes"),
    DamagedFile(
      response: #"{"chunks":[[0,9223372036854775807],[0,1]]}"# + "\n" + #"{"end":"complete"}"#, 6, "63 bits"),
    DamagedFile(response: #"{"end":"complete"}"# + "\n" + #"{"end":"complete"}"#, 6, "wrong place"),
    DamagedFile(response: #"{"json":"# + String(repeating: "[", count: 65), 5, "deeper than 64 levels"),
    DamagedFile(response: #"{"json":"# + String(repeating: #"{"a":"#, count: 100_000), 5, "deeper than 64 levels"),
  ]

  private static func file(_ name: String) -> String {
    "{\"file\":\"\(name)\",\"length\":1,\"sha256\":\"\(String(repeating: "a", count: 64))\"}"
  }

  @Test(arguments: damaged)
  func `a damaged file is an error with its line`(file: DamagedFile) throws {
    let bytes = Array(file.text.utf8)
    for pieces in [[bytes[...]], bytes.indices.map { bytes[$0...$0] }] {
      let error = #expect(throws: LupineError.self) { try read(pieces) }
      #expect(error?.kind == .invalidCassette)
      let message = error?.message ?? ""
      #expect(message.contains("/t/users.cassette is damaged at line \(file.line): "), "\(message)")
      #expect(message.contains(file.reason), "\(message)")
    }
  }

  @Test func `bytes that are not UTF-8 are an error with their line`() throws {
    let file = Array(DamagedFile.header.utf8) + [0x0A] + Array(#"{"request":"GET /"#.utf8) + [0xFF, 0x22, 0x7D]
    let error = #expect(throws: LupineError.self) { try CassetteContents(file, path: "a") }
    #expect(error?.message == "The cassette a is damaged at line 3: the bytes are not valid UTF-8.")
  }

  @Test(arguments: [2, 99, Int64.max])
  func `a newer version is an error that says so`(version: Int64) throws {
    let text = "{\"cassette\":\(version),\"hologram\":true}\n\n{\"thought\":1}\n"
    let error = #expect(throws: LupineError.self) { try CassetteContents(text.utf8, path: "a") }
    #expect(error?.kind == .invalidCassette)
    #expect(
      error?.message
        == "The cassette a was written by a newer version of Lupine (format \(version); this one reads 1).")
  }

  @Test func `a file that is cut at any byte is an error, unless it ends after an exchange`() throws {
    var random = SplitMix(seed: 7)
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: [], origins: ["a": .init()])
    let cassette = Cassette(header: header, entries: [random.entry(), random.entry()])
    let text = CassetteWriter.text(of: cassette)
    let blocks = [CassetteWriter.text(of: cassette.header)] + cassette.entries.map { CassetteWriter.text(of: $0) }
    var ends: Set<Int> = []
    for count in 1...3 {
      let end = Array(blocks.prefix(count).joined(separator: [0x0A])).count
      // The line feed at the end, and the empty line, may be missing.
      ends.formUnion([end - 1, end, end + 1])
    }
    // The header's lines are complete without those of the origins.
    let headerEnds = blocks[0].indices.filter { blocks[0][$0] == 0x0A }.flatMap { [$0, $0 + 1] }
    for count in text.indices {
      let cut = text[..<count]
      if ends.contains(count) || headerEnds.contains(count) {
        let read = try CassetteContents(cut, path: "").cassette
        #expect(cassette.entries.starts(with: read.entries))
      } else {
        #expect(throws: LupineError.self, "\(count) bytes") { try CassetteContents(cut, path: "") }
      }
      // The blocks before the cut are complete.
      var reader = CassetteReader(path: "")
      let complete = try reader.read(cut)
      let last = try reader.finish(allowingTruncation: true)
      #expect(complete.count + (last == nil ? 0 : 1) <= 3)
    }
  }

  @Test func `lines may end in a carriage return and a line feed`() throws {
    var random = SplitMix(seed: 3)
    let cassette = Cassette(header: random.header(), entries: [random.entry(), random.entry()])
    let text = CassetteWriter.text(of: cassette).flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    #expect(try CassetteContents(text, path: "").cassette == cassette)
  }

  @Test func `members may stand in any order and white space between them`() throws {
    let text =
      DamagedFile.header + """

        { "request" : "GET https://a.example/" ,
        \t"at" : 0.5 }
        {"response":200,"version":"HTTP/1.1","after":1}
        {"text":["a",
          "b"]}
        {"chunks":[[1,1],
         [2,1]]}
        {"end":"complete","trailers":[],"after":2}
        """
    let entry = try CassetteContents(text.utf8, path: "").cassette.entries.first
    #expect(entry?.begin == .milliseconds(500))
    #expect(entry?.response?.body == .inline(Data("ab".utf8)))
    #expect(entry?.response?.chunks.map(\.after) == [.seconds(1), .seconds(2)])
    #expect(entry?.end == .complete(trailers: HTTPFields()))
  }

  @Test func `a line and a file have limits`() throws {
    var line = CassetteReader(path: "a")
    _ = try line.read(DamagedFile.header.utf8)
    let piece = [UInt8](repeating: 0x20, count: 1 << 20)
    let error = #expect(throws: LupineError.self) { () throws in
      _ = try line.read(#"{"json":"#.utf8)
      for _ in 0..<17 { _ = try line.read(piece + [0x0A]) }
    }
    #expect(error?.message.contains("the line has more than 16 MiB") == true, "\(error?.message ?? "")")

    var file = CassetteReader(path: "a")
    let empty = repeatElement(UInt8(0x0A), count: (256 << 20) + 1)
    let second = #expect(throws: LupineError.self) { _ = try file.read(empty) }
    #expect(second?.message.contains("the file has more than 256 MiB") == true, "\(second?.message ?? "")")
  }

  @Test func `fields and members have limits`() throws {
    let lines: [(String, String)] = [
      ("{\"fields\":[" + Array(repeating: #""a:b""#, count: 70_000).joined(separator: ",") + "]}", "10000 fields"),
      ("{" + (0..<1_001).map { "\"\($0)\":0" }.joined(separator: ",") + "}", "1000 members"),
    ]
    for (line, reason) in lines {
      let text = DamagedFile.header + "\n" + #"{"request":"GET https://a.example/"}"# + "\n" + line
      let error = #expect(throws: LupineError.self) { try CassetteContents(text.utf8, path: "a") }
      #expect(error?.message.contains("more than \(reason)") == true, "\(error?.message ?? "")")
    }
    let field = #"{"name":"a","value":""# + String(repeating: #"\n"#, count: 70_000) + #""}"#
    let archive = #"{"log":{"entries":[{"request":{"headers":["# + field + "]}}]}}"
    let error = #expect(throws: LupineError.self) { try Cassette(har: archive.utf8) }
    #expect(error?.message.contains("more than 10000 fields") == true, "\(error?.message ?? "")")
  }

  @Test func `a document whose indentation makes it long has a limit`() throws {
    let document =
      String(repeating: "[", count: 60) + Array(repeating: "1", count: 36_000).joined(separator: ",")
      + String(repeating: "]", count: 60)
    let text =
      DamagedFile.header + "\n" + #"{"request":"GET https://a.example/"}"# + "\n" + #"{"response":200}"# + "\n"
      + "{\"json\":\(document),\"style\":\"indented-8\"}\n"
    let error = #expect(throws: LupineError.self) { try CassetteContents(text.utf8, path: "a") }
    #expect(error?.message.contains("the JSON document has more than") == true, "\(error?.message ?? "")")
  }

  private func read(_ pieces: [ArraySlice<UInt8>]) throws {
    var reader = CassetteReader(path: "/t/users.cassette")
    for piece in pieces { _ = try reader.read(piece) }
    let last = try reader.finish()
    // The checks of a whole file.
    let text = Array(pieces.joined())
    _ = try CassetteContents(text, path: "/t/users.cassette")
    _ = last
  }
}
