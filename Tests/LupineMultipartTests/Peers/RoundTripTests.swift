import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMultipart
import Testing

/// Round trips through parsers of other projects.
@Suite(.enabled(if: PythonParsers.areWanted, PythonParsers.reason)) struct RoundTripTests {
  private static func answers(_ form: MultipartFormData) throws -> [String: [PythonParsers.Part]] {
    try PythonParsers.parse(form, PythonParsers.forForms).mapValues { answer in
      try #require(answer.parts, "\(answer.error ?? "")")
    }
  }

  @Test func `three parsers read the encoded form`() async throws {
    let folder = try TemporaryFolder()
    var form = MultipartFormData()
    form.append("rainbow", name: "title")
    form.append(json: ["a": 1], name: "value", fileName: "value.json")
    form.append(.file(try folder.write(Data((0...255).map { UInt8($0) }), to: "Einhörner 🦄.png")), name: "unicorn")
    let expected = [
      PythonParsers.Part(name: "title", data: Data("rainbow".utf8)),
      PythonParsers.Part(
        name: "value", fileName: "value.json", type: "application/json", data: Data("{\"a\":1}".utf8)),
      PythonParsers.Part(
        name: "unicorn", fileName: "Einhörner 🦄.png", type: "image/png", data: Data((0...255).map { UInt8($0) })),
    ]
    let answers = try Self.answers(form)
    #expect(answers.count == 3)
    for (parser, parts) in answers { #expect(parts == expected, "\(parser)") }
  }

  @Test func `an empty form has no parts`() throws {
    for (parser, parts) in try Self.answers(MultipartFormData()) { #expect(parts.isEmpty, "\(parser)") }
  }

  /// Names with special characters, which a server receives with the escapes of browsers; some parsers decode `%22`.
  @Test(arguments: ["a\"b", "a\r\nX-Evil: 1", "a\n\r\n\r\nbody", "a\\", "ü日🦄", "a\"; filename=\"b", "a;b=c", "'a'"])
  func `a name stays one name and adds no field`(name: String) throws {
    var form = MultipartFormData()
    form.append("before", name: "before")
    form.append("field", name: name)
    form.append("file", name: name, fileName: name, contentType: "text/x-safe")
    let escaped = browserEscaped(name)
    for (parser, parts) in try Self.answers(form) {
      #expect(parts.count == 3, "\(parser)")
      #expect(parts.map { $0.name.map(browserEscaped) } == ["before", escaped, escaped], "\(parser)")
      #expect(parts.map { $0.fileName.map(browserEscaped) } == [nil, nil, escaped], "\(parser)")
      #expect(parts.map(\.type) == [nil, nil, "text/x-safe"], "\(parser)")
      #expect(parts.map(\.data) == ["before", "field", "file"].map { Data($0.utf8) }, "\(parser)")
    }
  }

  @Test func `Python's own parser reads nested multiparts`() throws {
    var alternative = Multipart(.alternative)
    alternative.append("plain")
    alternative.append("<p>rich</p>", headers: [.contentType: "text/html"])
    var mixed = Multipart(.mixed)
    mixed.append(alternative)
    mixed.append(.text("last"), headers: [.contentType: "text/x-last"])
    let parts = try #require(try PythonParsers.parse(mixed, ["email"])["email"]?.parts)
    #expect(parts.count == 2)
    #expect(parts.first?.parts?.map(\.data) == [Data("plain".utf8), Data("<p>rich</p>".utf8)])
    #expect(parts.last?.type == "text/x-last")
    #expect(parts.last?.data == Data("last".utf8))
  }
}
