import HTTPTypes
import LupineCore
import LupineFoundation
import LupineRecording
import Testing

/// The text of cassettes.
@Suite struct CassetteWriterTests {
  @Test func `a cassette is lines of JSON that can be read in a difference`() {
    let date = Date(timeIntervalSince1970: 1_795_903_200.25)
    let origin = Cassette.Origin(
      address: "192.0.2.1:443", certificates: [Data([1, 2, 3]), Data(repeating: 7, count: 60)])
    var cassette = Cassette(
      header: Cassette.Header(
        date: date, capabilities: [.networking, .tls], origins: ["https://api.example.com": origin]))
    let request = Cassette.Request(
      method: .post, url: "https://api.example.com/users?page=2&api_key=REDACTED-1",
      fields: [.accept: "*/*", .authorization: "Bearer REDACTED-2"], body: .inline(Data(#"{"name":"Ada"}"#.utf8)))
    var hint = HTTPResponse(status: .earlyHints)
    hint.headerFields["Link"] = "</a.css>"
    let users = (1...3).map { #"{"id":\#($0),"name":"A user with a long name \#($0)"}"# }.joined(separator: ",")
    var response = Cassette.Response(
      head: HTTPResponse(
        status: HTTPResponse.Status(code: 200), headerFields: [.contentType: "application/json"]),
      version: .http2, after: .milliseconds(34), body: .inline(Data("[\(users)]".utf8)), codings: ["gzip"])
    response.chunks = (0..<8).map { Cassette.Chunk(after: .milliseconds(34 + 50 * $0), count: $0 == 7 ? 140 : 1) }
    cassette.entries = [
      Cassette.Entry(
        request: request, begin: .microseconds(12_300),
        interim: [Cassette.Interim(head: hint, after: .milliseconds(12))], response: response,
        end: .complete(trailers: [.eTag: "\"1\""]), duration: .milliseconds(400)),
      Cassette.Entry(
        request: Cassette.Request(url: "https://api.example.com/"), begin: .seconds(2),
        end: .failed(
          Cassette.Failure(
            kind: "connectionLost", message: "The connection ended.", isUnprocessed: true,
            fault: ".reset(afterBytes: 0)")), duration: .seconds(30)),
    ]
    #expect(String(decoding: CassetteWriter.text(of: cassette), as: UTF8.self) == Self.text)
  }

  private static let text = """
    {"cassette":1,"recorded":"2026-11-28T22:00:00.250Z","capabilities":["networking","tls"]}
    {"origin":"https://api.example.com","address":"192.0.2.1:443","certificates":[
      "AQID",
      "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"
     ]}

    {"request":"POST https://api.example.com/users?page=2&api_key=REDACTED-1","at":0.0123}
    {"fields":["Accept: */*","Authorization: Bearer REDACTED-2"]}
    {"json":{"name":"Ada"}}
    {"interim":103,"after":0.012,"fields":["Link: </a.css>"]}
    {"response":200,"after":0.034,"version":"HTTP/2"}
    {"fields":["Content-Type: application/json"]}
    {"coded":["gzip"]}
    {"json":[
      {"id":1,"name":"A user with a long name 1"},
      {"id":2,"name":"A user with a long name 2"},
      {"id":3,"name":"A user with a long name 3"}
     ]}
    {"chunks":[[0.034,1],[0.084,1],[0.134,1],[0.184,1],[0.234,1],[0.284,1],
      [0.334,1],[0.384,140]]}
    {"end":"complete","after":0.4,"trailers":["ETag: \\"1\\""]}

    {"request":"GET https://api.example.com/","at":2}
    {"end":"connectionLost","after":30,"message":"The connection ended.","unprocessed":true,"fault":".reset(afterBytes: 0)"}

    """

  /// Bodies, and the lines that they are.
  private static let bodies: [(String, String)] = [
    (#"{"a":1.0,"b":[1e3,"é"],"a":2}"#, #"{"json":{"a":1.0,"b":[1e3,"é"],"a":2}}"#),
    (#"{"a": [1, 2]}"# + "\n", #"{"json":{"a":[1,2]},"style":"spaced","newline":true}"#),
    ("{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}", #"{"json":{"a":[1],"b":{}},"style":"indented-2"}"#),
    ("[\n\t1\n]", #"{"json":[1],"style":"tabbed"}"#),
    ("[\n         1\n]", #"{"text":["[\n","         1\n","]"]}"#),
    (#"{"a":1, "b":2}"#, #"{"text":["{\"a\":1, \"b\":2}"]}"#),
    ("[1,]", #"{"text":["[1,]"]}"#),
    ("[\"\u{202e}\"]", #"{"text":["[\"\u202e\"]"]}"#),
    ("42", #"{"text":["42"]}"#),
    ("data: a\r\n\r\ndata: b", #"{"text":["data: a\r\n","\r\n","data: b"]}"#),
    ("a\u{0}b", #"{"base64":"YQBi"}"#),
  ]

  @Test(arguments: bodies)
  func `a body has the form that is easiest to read`(body: String, line: String) throws {
    let request = Cassette.Request(url: "https://a.example/", body: .inline(Data(body.utf8)))
    let entry = Cassette.Entry(request: request, end: .stalled)
    let lines = String(decoding: CassetteWriter.text(of: entry), as: UTF8.self).split(separator: "\n")
    #expect(lines.dropFirst().first.map(String.init) == line)
  }

  @Test func `a value that does not fit into a line has one element a line`() throws {
    let long = String(repeating: "x", count: 60)
    let document = #"{"a":{"b":["\#(long)","\#(long)",{}],"c":[]},"d":[1,2,3]}"#
    let request = Cassette.Request(url: "https://a.example/", body: .inline(Data(document.utf8)))
    let text = CassetteWriter.text(of: Cassette.Entry(request: request, end: .stalled))
    let expected = """
      {"request":"GET https://a.example/","at":0}
      {"json":{
        "a":{
          "b":[
            "\(long)",
            "\(long)",
            {}
          ],
          "c":[]
        },
        "d":[1,2,3]
       }}
      {"end":"stalled","after":0}

      """
    #expect(String(decoding: text, as: UTF8.self) == expected)
  }

  @Test func `times are rounded down to microseconds, and have bounds`() throws {
    let times: [(Duration, String)] = [
      (.nanoseconds(1_999), "0.000001"), (.seconds(-1), "0"), (.seconds(Int64.max), "999999999999"),
      (.milliseconds(1_500), "1.5"), (.seconds(100), "100"),
    ]
    for (time, text) in times {
      let entry = Cassette.Entry(request: Cassette.Request(url: "/"), begin: time, end: .stalled)
      let line = String(decoding: CassetteWriter.text(of: entry), as: UTF8.self).prefix { $0 != "\n" }
      #expect(line == "{\"request\":\"GET /\",\"at\":\(text)}")
    }
  }

  @Test func `standard reason phrases are left out, but not the absence of one`() throws {
    let lines: [(ProtocolVersion?, String, String)] = [
      (.http1_1, "OK", #"{"response":200,"after":0,"version":"HTTP/1.1"}"#),
      (.http1_1, "", #"{"response":200,"after":0,"version":"HTTP/1.1","reason":""}"#),
      (.http2, "", #"{"response":200,"after":0,"version":"HTTP/2"}"#),
      (nil, "Fine", #"{"response":200,"after":0,"reason":"Fine"}"#),
    ]
    for (version, reason, expected) in lines {
      let head = HTTPResponse(status: HTTPResponse.Status(code: 200, reasonPhrase: reason))
      let entry = Cassette.Entry(
        request: Cassette.Request(url: "/"), response: Cassette.Response(head: head, version: version))
      let text = String(decoding: CassetteWriter.text(of: entry), as: UTF8.self)
      #expect(text.split(separator: "\n")[1] == expected)
    }
  }
}
