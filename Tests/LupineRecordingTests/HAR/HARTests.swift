import HTTPTypes
import Lupine
import LupineFixtures
import LupineFoundation
import LupineMock
import LupineRecording
import Testing

/// HTTP Archives, in both directions.
@Suite struct HARTests {
  @Test(arguments: UInt64(0)..<60)
  func `a random cassette is equal after its export and import`(seed: UInt64) throws {
    var random = SplitMix(seed: Seeds.first &+ seed)
    var cassette = Cassette(header: random.header())
    for _ in 0..<random.number(0...4) { cassette.entries.append(random.entry()) }
    let archive = cassette.har()
    let imported = try Cassette(har: archive)
    #expect(imported == cassette)
    #expect(CassetteWriter.text(of: imported) == CassetteWriter.text(of: cassette))
  }

  @Test func `an export has the members that other programs read`() throws {
    var cassette = Cassette(
      header: Cassette.Header(
        date: Date(timeIntervalSince1970: 1_795_903_200), capabilities: [],
        origins: ["https://api.example.com": Cassette.Origin(address: "[::1]:443")]))
    let request = Cassette.Request(
      method: .post, url: "https://api.example.com/users?page=2&q=a%20b", fields: [.contentType: "text/plain"],
      body: .inline(Data("héllo".utf8)))
    let response = Cassette.Response(
      head: HTTPResponse(status: .created, headerFields: [.location: "/users/3", .contentType: "image/png"]),
      version: .http1_1, after: .milliseconds(20), body: .inline(Data([0xFF, 0xD8])),
      chunks: [Cassette.Chunk(after: .milliseconds(20), count: 2)])
    cassette.entries = [
      Cassette.Entry(request: request, begin: .seconds(1), response: response, duration: .milliseconds(30))
    ]
    let archive = try JSONDecoder().decode(Archive.self, from: cassette.har())
    #expect(archive.log.version == "1.2")
    let entry = try #require(archive.log.entries.first)
    #expect(entry.startedDateTime == "2026-11-28T22:00:01.000Z")
    #expect(entry.time == 30)
    #expect(entry.timings == ["send": 0, "wait": 20, "receive": 10])
    #expect(entry.serverIPAddress == "::1")
    #expect(entry.request.queryString.map(\.value) == ["2", "a b"])
    #expect(entry.request.postData?.text == "héllo")
    #expect(entry.response.status == 201)
    #expect(entry.response.redirectURL == "/users/3")
    #expect(entry.response.content.text == "/9g=")
    #expect(entry.response.content.encoding == "base64")
  }

  @Test func `a URL with a default port and capital letters has the address of its origin`() throws {
    let origins = ["https://api.example.com": Cassette.Origin(address: "[::1]:443")]
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: [], origins: origins)
    let entry = Cassette.Entry(request: Cassette.Request(url: "https://API.example.com:443/users"))
    let archive = Cassette(header: header, entries: [entry]).har()
    #expect(try JSONDecoder().decode(Archive.self, from: archive).log.entries.first?.serverIPAddress == "::1")
    let foreign = """
      {"log":{"entries":[{"serverIPAddress":"::1","request":{"method":"GET","url":"https://API.example.com:443/users"}}]}}
      """
    #expect(try Cassette(har: foreign.utf8).header.origins == origins)
  }

  private struct Archive: Decodable {
    struct Pair: Decodable {
      let name: String
      let value: String
    }
    struct Content: Decodable {
      let mimeType: String
      let text: String?
      let encoding: String?
    }
    struct Request: Decodable {
      let queryString: [Pair]
      let postData: Content?
    }
    struct Response: Decodable {
      let status: Int
      let redirectURL: String
      let content: Content
    }
    struct Entry: Decodable {
      let startedDateTime: String
      let time: Double
      let timings: [String: Double]
      let serverIPAddress: String?
      let request: Request
      let response: Response
    }
    struct Log: Decodable {
      let version: String
      let entries: [Entry]
    }
    let log: Log
  }

  @Test func `an archive of a browser becomes exchanges`() throws {
    let archive = """
      \u{feff}{"log":{"version":"1.2","creator":{"name":"Browser","version":"1"},"pages":[{"id":"1"}],"entries":[
      {"startedDateTime":"2026-11-28T23:00:00.5+01:00","time":40.5,"connection":"1","serverIPAddress":"::1",
       "request":{"method":"POST","url":"https://a.example:8443/?q=1","httpVersion":"h2","cookies":[],"headers":[
        {"name":":method","value":"POST"},{"name":"host","value":"a.example"},{"name":"accept","value":"*/*"}],
        "queryString":[],"headersSize":-1,"bodySize":3,"postData":{"mimeType":"text/plain","text":"a=1"}},
       "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2.0","cookies":[],"headers":[
        {"name":"content-encoding","value":"gzip"},{"name":"set-cookie","value":"a=1\\nb=2"},
        {"name":"content-length","value":"99"}],
        "content":{"size":3,"mimeType":"text/plain","text":"YWJj","encoding":"base64"},"redirectURL":"",
        "headersSize":-1,"bodySize":-1},
       "cache":{},"timings":{"blocked":-1,"dns":-1,"send":0,"wait":30.25,"receive":10.25}},
      {"startedDateTime":"2026-11-28T22:00:00.25Z","time":1e-05,"request":{"method":"GET","url":"https://b.example/",
       "headers":[],"postData":{"params":[{"name":"a","value":"1"},{"name":"b","value":"2"}]}},
       "response":{"status":0,"headers":[],"content":{},"_error":"net::ERR_FAILED"},"timings":{"wait":null}},
      {"startedDateTime":"yesterday","time":-1,"request":{"method":"GET","url":"https://b.example/","headers":[]},
       "response":{"status":204,"headers":[{"name":"content-type","value":"text/plain; charset=ISO-8859-1"}],
       "content":{"text":"é"}},"timings":{}}
      ]}}
      """
    let cassette = try Cassette(har: archive.utf8)
    #expect(cassette.header.date == Date(timeIntervalSince1970: 1_795_903_200.25))
    #expect(cassette.header.origins["https://a.example:8443"]?.address == "[::1]:8443")
    #expect(cassette.entries.count == 3)

    let first = cassette.entries[0]
    #expect(first.request.fields == [.accept: "*/*"])
    #expect(first.request.body == .inline(Data("a=1".utf8)))
    #expect(first.begin == .milliseconds(250))
    #expect(first.response?.version == .http2)
    #expect(first.response?.body == .inline(Data("abc".utf8)))
    #expect(first.response?.codings == ["gzip"])
    #expect(first.response?.head.headerFields[values: .setCookie] == ["a=1", "b=2"])
    #expect(first.response?.after == .microseconds(30_250))
    #expect(first.response?.chunks == [Cassette.Chunk(after: .microseconds(40_500), count: 3)])
    #expect(first.duration == .microseconds(40_500))

    let second = cassette.entries[1]
    #expect(second.request.body == .inline(Data("a=1&b=2".utf8)))
    #expect(second.end == .failed(Cassette.Failure(kind: "connectionFailed", message: "net::ERR_FAILED")))
    #expect(second.duration == .zero)

    #expect(cassette.entries[2].response?.body == .inline(Data([0xE9])))
    // A cassette of it can be written and read.
    #expect(try CassetteContents(CassetteWriter.text(of: cassette), path: "").cassette == cassette)
  }

  @Test func `an archive of mitmproxy plays`() async throws {
    let archive = try Data(contentsOf: URL(filePath: Fixture.path("Archives/mitmproxy.har")))
    let replay = ReplayTransport(try Cassette(har: archive))
    let session = try Session.Builder().transport(replay).clock(ImmediateClock()).baseURL("http://a.example")
      .contentCoding(.gzip).build()
    #expect(
      try await session.request("json?page=1").serializingString().value == #"{"users": [{"id": 1, "name": "Ada é"}]}"#)
    #expect(try await session.request("image").serializingData().value == Data(0...255))
    let binary = Data([0xFF, 0x00, 0x62, 0x69, 0x6E])
    let uploaded = try OutgoingRequest("http://a.example/bin", method: .post, body: .bytes(binary))
    #expect(try await session.request(uploaded).serializingData().value == binary)
    let events = try await session.request("chunked").serializingString().value
    #expect(events == "data: 0\n\ndata: 1\n\ndata: 2\n\n")
    #expect(await session.request("lost").serializingData().response.error?.kind == .connectionFailed)
    let other = await session.request("missing").serializingData().response.error
    #expect(other?.kind.name == "unmatchedRequest")
  }

  @Test func `an archive of mitmproxy becomes exchanges`() throws {
    let archive = try Data(contentsOf: URL(filePath: Fixture.path("Archives/mitmproxy.har")))
    let cassette = try Cassette(har: archive)
    let entries = Dictionary(grouping: cassette.entries) { String($0.request.url.trimmingPrefix("http://a.example/")) }
    #expect(cassette.entries.count == 11)
    #expect(cassette.header.origins["http://a.example"]?.address == "127.0.0.1:80")
    #expect(cassette.entries.first.map { $0.begin < .milliseconds(1) } == true)

    let users = try #require(entries["json?page=1"]?.first)
    #expect(users.request.fields == [.userAgent: "fixture", .accept: "*/*"])
    #expect(users.response?.body == .inline(Data(#"{"users": [{"id": 1, "name": "Ada é"}]}"#.utf8)))
    #expect(users.response?.codings == ["gzip"])
    #expect(users.response?.head.headerFields[values: .setCookie] == ["a=1; Path=/", "b=2; Path=/"])
    #expect(users.response?.version == .http1_1)
    #expect(users.response.map { $0.after > .zero && $0.after <= users.duration } == true)

    let images = entries["image"] ?? []
    #expect(images.map(\.request.method) == [.get, .head])
    #expect(images.map(\.response?.body) == [.inline(Data(0...255)), Cassette.Content.none])
    #expect(entries["latin"]?.first?.response?.body == .inline(Data([0x63, 0x61, 0x66, 0xE9])))
    #expect(entries["redirect"]?.first?.response?.head.headerFields[.location] == "/json")
    #expect(entries["chunked"]?.first?.response?.body == .inline(Data("data: 0\n\ndata: 1\n\ndata: 2\n\n".utf8)))
    #expect(entries["chunked"]?.first?.response?.head.headerFields[.transferEncoding] == nil)
    #expect(entries["form"]?.first?.request.body == .inline(Data("name=Ada&role=x%20y".utf8)))
    let binary = Cassette.Content.inline(Data([0xFF, 0x00, 0x62, 0x69, 0x6E]))
    #expect(entries["bin"]?.first?.request.body == binary)
    #expect(entries["bin"]?.first?.response?.body == binary)
    guard case .failed(let failure) = entries["lost"]?.first?.end else {
      Issue.record("The lost connection is no failure.")
      return
    }
    #expect(failure.kind == "connectionFailed")
    #expect(try Cassette(har: cassette.har()) == cassette)
  }

  @Test func `an archive can have the contents of the files beside a cassette`() throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: .http2)
    let body = Data(repeating: 0xFF, count: 3_000)
    let response = Cassette.Response(
      head: HTTPResponse(status: .ok), body: .inline(body), chunks: [Cassette.Chunk(after: .zero, count: 3_000)])
    let request = Cassette.Request(method: .put, url: "https://a.example/", body: .inline(body + [0x00]))
    try Cassette(header: header, entries: [Cassette.Entry(request: request, response: response)])
      .write(to: folder.file("users.cassette"))
    let cassette = try Cassette(contentsOf: folder.file("users.cassette"))
    let imported = try Cassette(har: cassette.har(withFilesBeside: folder.file("users.cassette")))
    #expect(imported.entries.first?.response?.body == .inline(body))
    try imported.write(to: other.file("users.cassette"))
    #expect(try Cassette(contentsOf: other.file("users.cassette")) == cassette)
    #expect(other.names == folder.names)

    // A file that was changed is not exported.
    let name = try #require(folder.names.first)
    try folder.write([UInt8](repeating: 0xFE, count: 3_000), to: name)
    let error = #expect(throws: LupineError.self) {
      try cassette.har(withFilesBeside: folder.file("users.cassette"))
    }
    #expect(error?.kind == .invalidCassette)
    #expect(try Cassette(har: cassette.har()) == cassette)
  }

  /// Damaged archives, and a part of the error.
  private static let damaged: [(String, String)] = [
    ("", "line 1: `{` is missing"), ("{}", "no \"log\""), ("{\"log\":1}", "`{` is missing"),
    ("{\"log\":{\"entries\":[{}]}}", "no request with a method"),
    ("{\"log\":{\"entries\":[\n{\"request\":{\"method\":\"G T\",\"url\":\"/\"}}]}}", "line 2: an exchange has no"),
    ("{\"log\":{\"entries\":[{\"request\":{\"method\":\"GET\",\"url\":\"\"}}]}}", "no request with a method"),
    (entry(response: "\"status\":1e999"), "above 999"),
    (entry(response: "\"headers\":[{\"name\":\"a b\",\"value\":\"\"}]"), "name of a field is invalid"),
    (entry(response: "\"headers\":[{\"name\":\"a\",\"value\":\"\\u0000\"}]"), "zero byte"),
    (entry(response: "\"content\":{\"text\":\"?\",\"encoding\":\"base64\"}"), "not base64"),
    (entry(response: "\"content\":{\"text\":\"\\ud800\"}"), "half of a character"),
    (entry(response: "\"status\":200},\"_lupine\":{\"lines\":[{\"response\":2000}]"), "between 200 and 999"),
    (entry(response: "\"status\":200},\"_lupine\":{\"lines\":[{\"response\":200}]"), "\"end\""),
    (entry(response: "\"status\":200},\"_lupine\":{}"), "\"end\""),
    (entry(response: "\"status\":200},\"_lupine\":{\"at\":-1,\"lines\":[]"), "a time"),
    (
      entry(
        response: "\"status\":200},\"_lupine\":{\"lines\":[{\"response\":200},{\"chunks\":[[0,5]]},"
          + "{\"end\":\"complete\"}]"), "the chunks have 5 bytes"
    ),
    ("{\"log\":{\"_lupine\":[{\"cassette\":2}],\"entries\":[]}}", "newer version"),
    ("{\"log\":{\"_lupine\":[],\"entries\":[]}}", "\"end\""),
    ("{\"a\":" + String(repeating: "[", count: 100_000), "deeper than 64 levels"),
  ]

  private static func entry(response: String) -> String {
    #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"},"response":{"# + response + "}}]}}"
  }

  @Test(arguments: damaged)
  func `a damaged archive is an error`(archive: String, reason: String) throws {
    let error = #expect(throws: LupineError.self) { try Cassette(har: archive.utf8) }
    #expect(error?.kind == .invalidCassette)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `an archive that is cut at any byte is an error`() throws {
    var random = SplitMix(seed: 11)
    let archive = Array(Cassette(header: random.header(), entries: [random.entry()]).har())
    for count in 0..<(archive.count - 1) {
      #expect(throws: LupineError.self, "\(count)") { try Cassette(har: archive[..<count]) }
    }
  }
}
