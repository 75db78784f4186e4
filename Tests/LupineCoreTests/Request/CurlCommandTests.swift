import FoundationEssentials
import HTTPTypes
@testable import LupineCoding
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

@Suite struct CurlCommandTests {
  private static func command(
    _ url: String = "https://a.example.com/x", _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:],
    _ body: RequestBody = .none
  ) throws -> String {
    let request = try OutgoingRequest(url, method: method, headers: headers, body: body)
    return CurlCommand(request, secrets: .standard).description
  }

  @Test func `it is the command that makes the request`() throws {
    #expect(
      try Self.command("https://a.example.com/x?q=1&p=it's", .put, [.accept: "*/*", .custom: ""], .text("it's\nme"))
        == #"""
        curl --globoff \
          --request 'PUT' \
          --header 'Accept: */*' \
          --header 'X-Custom;' \
          --header 'Content-Type:' \
          --data-raw 'it'\''s
        me' \
          'https://a.example.com/x?q=1&p=it'\''s'
        """#)
  }

  @Test(arguments: [
    ("https://a.example.com/?access_token=hidden&q=1", "?access_token=REDACTED&q=1"),
    ("https://a.example.com/?q=1&API_KEY=hidden#access_token=hidden", "?q=1&API_KEY=REDACTED"),
    ("https://a.example.com/x#hidden", "/x"),
    ("https://a.example.com/?a=1&sig=hid=den", "?a=1&sig=REDACTED"),
    ("https://a.example.com/?password", "?password"),
    (
      "https://a.example.com/?user%5Bpassword%5D=hidden&user[token][]=hidden",
      "?user%5Bpassword%5D=REDACTED&user[token][]=REDACTED"
    ),
    ("https://a.example.com/?pass%77ord=hidden&user.apiKey=hidden", "?pass%77ord=REDACTED&user.apiKey=REDACTED"),
  ])
  func `parameters that are secret by name are redacted`(url: String, expected: String) throws {
    #expect(try Self.command(url).hasSuffix(expected + "'"))
    #expect(try !Self.command(url).contains("hid"))
  }

  @Test func `secret fields and forms are redacted`() throws {
    let text = try Self.command(
      "https://a.example.com/", .post,
      [.authorization: "Bearer hidden", .cookie: "a=hidden", .contentType: "application/x-www-form-urlencoded"],
      .text("username=me&password=hidden"))
    #expect(!text.contains("hidden"))
    #expect(text.contains("Authorization: <redacted>"))
    #expect(text.contains("username=me&password=REDACTED"))
  }

  @Test(arguments: [
    (#"{"password":"hidden"}"#, #"{"password":"REDACTED"}"#),
    (#"{"a":{"b":[{"accessToken" : "hid\"den\\"}]},"n":1}"#, #"{"a":{"b":[{"accessToken" : "REDACTED"}]},"n":1}"#),
    (#"{"key":{"hidden":["hidden]",{}]},"pwd":-1.5e3,"q":true}"#, #"{"key":"REDACTED","pwd":"REDACTED","q":true}"#),
    (#"{"pass\u0077ord":"hidden"}"#, #"{"pass\u0077ord":"REDACTED"}"#),
    (#"{"token":null}"# + "\n" + #"{"token":"hidden"}"#, #"{"token":"REDACTED"}"# + "\n" + #"{"token":"REDACTED"}"#),
    (#"{"a":"password\":","password":"hidden"#, #"{"a":"password\":","password":"REDACTED""#),
    (#"["token","a\\",{"token":[[hidden],"#, #"["token","a\\",{"token":"REDACTED""#),
  ])
  func `the members of JSON that are secret by name are redacted, and nothing else changes`(
    json: String, expected: String
  ) throws {
    for type in ["application/json", "application/vnd.a+json; charset=utf-8", "text/plain"] {
      let text = try Self.command("https://a.example.com/", .post, [.contentType: type], .text(json))
      #expect(text.contains("--data-raw '\(expected)'"))
    }
  }

  @Test(arguments: ["<dict><key>a</key><string>hidden</string></dict>", "{ a = hidden; }", "bplist00hidden", "hidden"])
  func `a property list is redacted as a whole`(list: String) throws {
    let text = try Self.command("https://a.example.com/", .post, [.contentType: "application/x-plist"], .text(list))
    #expect(text.contains("--data-raw 'REDACTED'"))
  }

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
  func `the output of the property list encoder is redacted`(
    format: PropertyListDecoder.PropertyListFormat
  ) async throws {
    let request = try TestBed(.text("x")).session().request(
      "https://a.example.com/", method: .post, parameters: ["name": "hidden"],
      encoder: .propertyList(format: format))
    let text = request.debugDescription
    #expect(text.contains("REDACTED"))
    #expect(!text.contains("hidden"))
  }

  @Test(arguments: ["bplist00hidden", "<?xml version='1.0'?><plist><key>a</key><string>hidden</string></plist>"])
  func `a property list is known by its beginning, also as a part of a form`(list: String) throws {
    let section = RequestBody.Section(.bytes(Data(list.utf8)))
    let part = RequestBody(length: nil, isReplayable: true, source: .sequence([section])) { (_) throws(LupineError) in
      BytesReader(Data())
    }
    for body in [.text(list), part] {
      let text = try Self.command("https://a.example.com/", .post, [.contentType: "text/xml"], body)
      #expect(text.contains("REDACTED"))
      #expect(!text.contains("hidden"))
    }
  }

  @Test(arguments: [
    (#"{"password":"hidden","#, "application/json"), ("password=hidden&a=", "application/x-www-form-urlencoded"),
  ])
  func `a body that is no plain text is redacted as well`(start: String, type: String) throws {
    let body = RequestBody.bytes(Data(start.utf8) + [0, 0xFF])
    let text = try Self.command("https://a.example.com/", .post, [.contentType: type], body)
    #expect(text.hasPrefix("printf "))
    #expect(text.contains("REDACTED"))
    #expect(!text.contains("hidden"))
  }

  @Test(arguments: [
    (Data([0, 1, 0x25, 0x27, 0x5C, 0x41, 0xFF]), #"printf '\000\001\045\047\134A\377' | curl"#),
    (Data("\u{1B}[2J".utf8), #"printf '\033[2J' | curl"#),
  ])
  func `bytes that are no plain text are made by printf`(data: Data, expected: String) throws {
    let text = try Self.command("https://a.example.com/", .post, [:], .bytes(data))
    #expect(text.hasPrefix(expected))
    #expect(text.contains("--data-binary @-"))
  }

  @Test func `a body is written out up to 1 MiB, and more is refused by the command`() throws {
    let url = "https://a.example.com/"
    #expect(try Self.command(url, .put, [:], .bytes(Data(count: 1 << 20))).hasPrefix(#"printf '\000\000"#))
    let refused = try Self.command(url, .put, [:], .bytes(Data(count: (1 << 20) + 1)))
    #expect(refused.hasPrefix("{ echo 'A body of 1048577 bytes"))
    #expect(refused.contains("false; } && curl --globoff"))
  }

  @Test func `files, parts of files and streams`() throws {
    let url = "https://a.example.com/"
    #expect(try Self.command(url, .put, [:], .file("/tmp/a b")).contains("--data-binary '@/tmp/a b'"))
    #expect(
      try Self.command(url, .put, [:], .file("/tmp/a", offset: 3, length: 4))
        .hasPrefix("tail -c +4 -- '/tmp/a' | head -c 4 | curl"))
    #expect(try Self.command(url, .put, [:], .file("/tmp/a", offset: .max)).hasPrefix("tail -c +9223372036854775808"))
    #expect(try Self.command(url, .put, [:], .stream { AsyncStream { $0.finish() } }).contains("--data-binary @-"))
  }

  @Test func `a request describes itself by its method, URL and status`() async throws {
    let request = try TestBed(.text("x")).session().request("https://a.example.com/x?token=hidden")
    #expect(request.description == "GET https://a.example.com/x?…")
    let command = await request.cURLDescription()
    #expect(request.description == "GET https://a.example.com/x?… (200)")
    #expect(command == request.debugDescription)
    #expect(command.contains("User-Agent: "))
  }
}
