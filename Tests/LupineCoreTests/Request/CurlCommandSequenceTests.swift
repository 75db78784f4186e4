import FoundationEssentials
import HTTPTypes
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct CurlCommandSequenceTests {
  private static func command(_ sections: [RequestBody.Section]) throws -> String {
    let body = RequestBody(length: nil, isReplayable: true, source: .sequence(sections)) { (_) throws(LupineError) in
      BytesReader(Data())
    }
    return CurlCommand(try OutgoingRequest("https://a.example.com/", method: .post, body: body), secrets: .standard)
      .description
  }

  private static func text(_ text: String, name: String? = nil) -> RequestBody.Section {
    RequestBody.Section(.bytes(Data(text.utf8)), name: name)
  }

  @Test func `each section is written by a command of its own`() throws {
    let command = try Self.command([
      Self.text("--x\r\n"), RequestBody.Section(.file(path: "/tmp/it's", offset: 0)), RequestBody.Section(.none),
      RequestBody.Section(.file(path: "/tmp/b", offset: 2), length: 3), RequestBody.Section(.stream),
    ])
    #expect(
      command.hasPrefix(
        #"{ printf '\055-x\015\012'; cat -- '/tmp/it'\''s'; tail -c +3 -- '/tmp/b' | head -c 3; cat; } | curl"#))
    #expect(command.contains("--data-binary @-"))
  }

  @Test func `nested sections are in the order of the body`() throws {
    let inner = RequestBody.Section(.sequence([Self.text("b"), Self.text("c")]))
    #expect(
      try Self.command([Self.text("a"), inner, Self.text("d")])
        .hasPrefix("{ printf 'a'; printf 'b'; printf 'c'; printf 'd'; } | "))
  }

  @Test func `the value of a form's secret field is redacted`() throws {
    let command = try Self.command([Self.text("name=\"password\""), Self.text("hidden", name: "Password")])
    #expect(!command.contains("hidden"))
    #expect(command.contains("printf REDACTED"))
  }

  @Test func `the members of JSON in a section are redacted`() throws {
    let command = try Self.command([Self.text("--x\r\n"), Self.text(#" [{"password": "hidden", "a": 1}]"#)])
    #expect(command.contains(#"printf ' [{"password": "REDACTED", "a": 1}]'"#))
  }

  @Test func `sections of more than an argument holds are written, up to 1 MiB`() throws {
    let half = Self.text(String(repeating: "x", count: 1 << 19))
    #expect(try Self.command([half, half]).count > 1 << 20)
    let command = try Self.command([half, half, Self.text("x")])
    #expect(command.hasPrefix("{ echo 'A body of 1048577 bytes"))
    #expect(command.contains("false; } && curl --globoff"))
  }
}
