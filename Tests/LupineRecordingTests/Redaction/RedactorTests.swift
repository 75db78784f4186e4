import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineRecording
import LupineSupport
import Testing

/// The placeholders of a recording, its rules, and the copies of secrets that fail it.
@Suite struct RedactorTests {
  private func entry(_ change: (inout Cassette.Entry) -> Void) -> Cassette.Entry {
    var entry = Cassette.Entry(
      request: Cassette.Request(url: "https://api.example.com/"),
      response: Cassette.Response(head: HTTPResponse(status: .ok)))
    change(&entry)
    return entry
  }

  private func redacted(
    _ redactor: Redactor = Redactor(), _ change: (inout Cassette.Entry) -> Void
  ) throws -> Cassette.Entry {
    try redactor.redacted(entry(change)) { _, _ in }
  }

  @Test func `the same value has the same placeholder at every place`() throws {
    let redactor = Redactor()
    let login = try redacted(redactor) {
      $0.requestBody("password=first+one&user=ada", "application/x-www-form-urlencoded")
      $0.responseBody(#"{"access_token":"second/one","id":"x"}"#, "application/json")
    }
    #expect(login.request.body == .inline(Data("password=REDACTED-1&user=ada".utf8)))
    #expect(login.responseText == #"{"access_token":"REDACTED-2","id":"x"}"#)
    let next = try redacted(redactor) {
      $0.request.url += "?token=second%2Fone&secret=first%20one"
      $0.request.fields[.authorization] = "Bearer second/one"
      $0.request.fields[.cookie] = "a=third; b=second/one"
    }
    #expect(next.request.url == "https://api.example.com/?token=REDACTED-2&secret=REDACTED-1")
    #expect(next.request.fields[.authorization] == "Bearer REDACTED-2")
    #expect(next.request.fields[.cookie] == "a=REDACTED-3; b=REDACTED-2")
  }

  @Test func `numbers become numbers, and what is no secret stays byte for byte`() throws {
    let entry = try redacted {
      $0.responseBody(
        #"{ "pin" :1.50, "code": 200,"token":12345678 ,"secret":[true,null,-5e10, "x"], "token":12345678,"é":1e3}"#,
        "application/json")
    }
    #expect(
      entry.responseText
        == #"{ "pin" :1.50, "code": 200,"token":9000001 ,"secret":[true,null,-5e10, "REDACTED-2"], "token":9000001,"é":1e3}"#
    )
  }

  @Test func `digests of a body are left out if it changes`() throws {
    let fields: HTTPFields = [
      HTTPField.Name(constant: "Content-Digest"): "sha-256=:x:", HTTPField.Name(constant: "X-A"): "1",
    ]
    let changed = try redacted {
      $0.response?.head.headerFields = fields
      $0.responseBody(#"{"token":"abcdefgh"}"#, "application/json")
      $0.end = .complete(trailers: fields)
    }
    #expect(changed.response?.head.headerFields.map(\.name.rawName) == ["X-A", "Content-Type"])
    #expect(changed.end == .complete(trailers: [HTTPField.Name(constant: "X-A"): "1"]))
    let same = try redacted {
      $0.response?.head.headerFields = fields
      $0.responseBody(#"{"a":"abcdefgh"}"#, "application/json")
      $0.end = .complete(trailers: fields)
    }
    #expect(same.response?.head.headerFields.count == 3)
    #expect(same.end == .complete(trailers: fields))
  }

  @Test func `rules of the program name fields, members, texts and what is harmless`() throws {
    let redaction: Redaction = [
      .field(HTTPField.Name(constant: "X-Who")), .member("social_security"), .text { $0.ranges(of: /ACCT-\d+/) },
      .harmless("public-token"), .harmless(member: "code"), .harmless(field: HTTPField.Name(constant: "X-Session")),
      .harmless(coding: "x-own"),
    ]
    let redactor = Redactor(redaction)
    let entry = try redacted(redactor) {
      $0.request.url += "accounts/ACCT-17?token=public-token"
      $0.request.fields = [
        HTTPField.Name(constant: "X-Who"): "ada", HTTPField.Name(constant: "X-Session"): "visible",
        HTTPField.Name(constant: "X-Path"): "é ACCT-17",
      ]
      $0.responseBody(#"{"socialSecurity":"1","code":"200-ok","a":"é ACCT-18"}"#, "application/json")
    }
    #expect(entry.request.url == "https://api.example.com/accounts/REDACTED-1?token=public-token")
    #expect(entry.request.fields.map(\.value) == ["REDACTED-2", "visible", "é REDACTED-1"])
    #expect(entry.responseText == #"{"socialSecurity":"REDACTED-3","code":"200-ok","a":"é REDACTED-4"}"#)
    try redactor.requireHarmless(coding: "X-Own", of: "the response's body")
    let error = try #require(throws: LupineError.self) {
      try redactor.requireHarmless(coding: "br", of: "the response's body")
    }
    #expect(error.kind == .secretInRecording)
    #expect(error.message.contains(".harmless(coding: \"br\")"))
  }

  @Test func `a closure may return places of another text`() throws {
    let other = String(repeating: "é", count: 1000)
    let redaction: Redaction = [.text { _ in [other.index(other.startIndex, offsetBy: 900)..<other.endIndex] }]
    _ = try redacted(Redactor(redaction)) { $0.responseBody("short", "text/plain") }
  }

  private typealias Change = @Sendable (inout Cassette.Entry, String) -> Void

  private static let copies: [(String, Change)] = [
    ("the request's URL", { $0.request.url += "?q=\($1)" }),
    ("the request's field X-A", { $0.request.fields[HTTPField.Name(constant: "X-A")] = $1 }),
    ("the request's body", { $0.requestBody("a \($1)", "text/plain") }),
    ("the response's reason", { $0.response?.head.status = HTTPResponse.Status(code: 200, reasonPhrase: $1) }),
    ("the response's field X-B", { $0.response?.head.headerFields[HTTPField.Name(constant: "X-B")] = $1 }),
    ("the response's body", { $0.responseBody(#"{"echo":"\#($1)"}"#, "application/json") }),
    ("the response's trailers' field X-C", { $0.end = .complete(trailers: [HTTPField.Name(constant: "X-C"): $1]) }),
    ("the error's message", { $0.end = .failed(Cassette.Failure(kind: "other", message: $1)) }),
  ]

  @Test(arguments: copies)
  func `a copy of a secret elsewhere fails the recording with its place`(
    part: String, put: @Sendable (inout Cassette.Entry, String) -> Void
  ) throws {
    let field = "the value of the request's field authorization"
    let error = try #require(throws: LupineError.self) {
      try redacted {
        $0.request.fields[.authorization] = "Bearer sesame-open"
        put(&$0, "sesame-open")
      }
    }
    #expect(error.kind == .secretInRecording)
    #expect(error.message.lowercased().contains("\(part.lowercased()) contains \(field)"))
    #expect(error.message.contains("from byte "))
    #expect(!error.message.contains("sesame-open"))
    let harmless = Redactor(Redaction().harmless("sesame-open"))
    _ = try redacted(harmless) {
      $0.request.fields[.authorization] = "Bearer sesame-open"
      put(&$0, "sesame-open")
    }
  }

  @Test func `a password of a credential in base64 may stand nowhere else`() throws {
    let error = try #require(throws: LupineError.self) {
      try redacted {
        $0.request.fields[.authorization] = "Basic \(Data("ada:open-sesame".utf8).base64EncodedString())"
        $0.responseBody("you sent open-sesame", "text/plain")
      }
    }
    let sentence = "The response's body contains the value of the request's field Authorization from byte 10"
    #expect(error.message.contains(sentence))
  }

  @Test func `secrets that overlap are replaced together`() throws {
    let redaction: Redaction = [.text { $0.ranges(of: /me=.*sec/) }]
    let entry = try redacted(Redactor(redaction)) { $0.request.url += "?name=ada&token=secret-value&z=1" }
    #expect(entry.request.url == "https://api.example.com/?naREDACTED-1&z=1")
  }

  @Test func `a credential made of a placeholder does not make the placeholder a secret`() throws {
    let entry = try redacted {
      $0.request.fields[.authorization] = "Basic \(Data("ada:REDACTED-7".utf8).base64EncodedString())"
      $0.responseBody(#"{"token":"REDACTED-7"}"#, "application/json")
    }
    #expect(entry.responseText == #"{"token":"REDACTED-7"}"#)
  }

  @Test func `a body in a character set without ASCII letters must be named as harmless`() throws {
    let error = try #require(throws: LupineError.self) {
      try redacted { $0.responseBody("x", "application/json; charset=UTF-16LE") }
    }
    #expect(error.kind == .secretInRecording)
    #expect(error.message.contains("utf-16le"))
    _ = try redacted(Redactor([.harmless(coding: "utf-16le")])) {
      $0.responseBody("x", "application/json; charset=UTF-16LE")
    }
  }

  @Test func `the body of a request in a content coding must be named as harmless`() throws {
    func send(_ redaction: Redaction) throws -> Cassette.Entry {
      try redacted(Redactor(redaction)) {
        $0.request.fields[.contentEncoding] = "identity, GZip"
        $0.requestBody("coded bytes", "application/json")
      }
    }
    let error = try #require(throws: LupineError.self) { try send([]) }
    #expect(error.kind == .secretInRecording)
    #expect(error.message.hasPrefix("The request's body has the coding gzip"))
    #expect(try send([.harmless(coding: "gzip")]).request.body == .inline(Data("coded bytes".utf8)))
  }

  @Test func `a body in a file is searched`() throws {
    let file = Cassette.FileContent(name: "a.bin", length: 100, sha256: Data())
    let entry = entry {
      $0.request.fields[.authorization] = "Bearer sesame-open"
      $0.response?.body = .file(file)
    }
    let error = try #require(throws: LupineError.self) {
      try Redactor().redacted(entry) { content, feed in
        #expect(content == file)
        for piece in ["...ses", "ame", "-open..."] { Array(piece.utf8).withUnsafeBytes { feed($0) } }
      }
    }
    #expect(error.message.contains("from byte 4 on"))
  }

  @Test func `placeholders are numbered anew in the order of the file`() throws {
    let redactor = Redactor()
    var late = try redacted(redactor) {
      $0.responseBody(#"{"token":"value-one","pin":9000001,"secret":7654321}"#, "application/json")
    }
    var early = try redacted(redactor) { $0.request.fields[.cookie] = "a=value-three; b=value-one" }
    #expect(late.responseText == #"{"token":"REDACTED-1","pin":9000001,"secret":9000002}"#)
    var numbering = redactor.numbering()
    numbering.renumber(&early) { file, _ in file }
    numbering.renumber(&late) { file, _ in file }
    #expect(early.request.fields[.cookie] == "a=REDACTED-1; b=REDACTED-2")
    #expect(late.responseText == #"{"token":"REDACTED-2","pin":9000001,"secret":9000003}"#)
    let bytes = late.response?.chunks.reduce(0) { $0 + $1.count }
    #expect(bytes == late.responseText.utf8.count)
  }

  @Test func `malformed bodies are searched without a trap`() throws {
    for text in Self.malformed {
      for type in Self.types {
        let entry = try redacted { $0.responseBody(text, type) }
        #expect(!entry.responseText.contains("abc"))
      }
    }
  }

  @Test func `texts inside of texts are searched to a bounded depth, and no input is read again and again`() throws {
    var nested = "?token=secret-value"
    for _ in 0..<3 { nested = "?next=\(SecretPlace.percentCoded(nested))" }
    let found = try redacted { $0.request.url += nested }
    #expect(found.request.url.contains("REDACTED-1"))
    #expect(!found.request.url.contains("secret"))
    let deep = (0..<300).reversed().map { "?a=%\(String(repeating: "25", count: $0))3F" }.joined()
    let hostile = [
      deep, String(repeating: "{\"a\":\"", count: 2_000), String(repeating: "eyJ-", count: 2_000),
      String(repeating: "sk-", count: 2_000), String(repeating: "[", count: 20_000),
      String(repeating: "?a=", count: 2_000),
      String(repeating: "://@", count: 2_000), String(repeating: "--b\n", count: 2_000),
    ]
    for text in hostile {
      for type in Self.types { _ = try redacted { $0.responseBody(text, type) } }
    }
  }

  private static let malformed = [
    "{\"token\":\"abc", "{\"token\"", "{\"token\":", "\"", "\\", "{\"a\\", "{\"token\":\"\\u12", "]]]]}}}}",
    "&&==&token=", "token", "data:", "data", "\r\r\ndata: {\"token\":\"x", "--b", "--b\r\n", "--b\n\n--b--", "?token=",
    "://@", "://", "%", "token=%4", "{\"token\":\"\\ud83d\\ude0", "-", "{\"token\":-", "{\"token\":[[[[\"a\"",
    "\u{feff}{", "--b\r\nContent-Disposition: form-data; a=\"", "--b\nContent-Disposition: \"\n\nx",
    "--b\nContent-Disposition: name=\"token", "--b\nContent-Disposition: name=", "--b\nContent-Disposition: a=\"\\",
  ]
  private static let types = [
    "application/json", "text/event-stream", "multipart/a; boundary=b", "text/plain", "a/b", "x",
    "application/x-www-form-urlencoded",
  ]
}
