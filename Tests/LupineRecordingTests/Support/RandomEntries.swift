import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFoundation
import LupineRecording

/// Random choices.
extension SplitMix {
  mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

  mutating func flag() -> Bool { .random(using: &self) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...(values.count - 1))] }
}

/// Random values of cassettes.
extension SplitMix {
  mutating func time() -> Duration {
    .microseconds(pick([0, 1, 34_000, 999_999, 1_000_000, Int64(number(0...9_000_000_000))]))
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(number(0...255)) } }

  /// A text of characters that are hard to write.
  mutating func text() -> String {
    let parts = [
      "a", "\"", "\\", "/", "é", "😀", "e\u{301}", "\u{0}", "\u{7f}", "\u{85}", "\u{2028}", "\u{202e}", "\u{feff}", " ",
      "\t", "{", "]", ",", ":", "\r\n", "\n",
    ]
    return (0..<number(0...12)).map { _ in pick(parts) }.joined()
  }

  mutating func fields() -> HTTPFields {
    var fields = HTTPFields()
    for _ in 0..<number(0...4) {
      let name = HTTPField.Name(pick(["Accept", "x-a", "SET-COOKIE", "Content-Type"]))
      let value = pick([Array("a b".utf8), Array("é: \"\\".utf8), [], [0xE9, 0x41], bytes(number(0...20))])
      let clean = value.map { [0x00, 0x0A, 0x0D].contains($0) ? 0x80 : $0 }
      if let name { fields.append(HTTPField(name: name, lenientValue: clean)) }
    }
    return fields
  }

  /// A JSON document in one of the styles, or not quite.
  mutating func document() -> String {
    pick([
      "{}", "[]\n", #"{"a":1.0,"b":[1e3,-0,true,null,"\u00e9\/"]}"#, #"{"a": [1, 2], "b": {"c": ""}}"#,
      "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    {}\n  ]\n}\n", "{\n\t\"a\": []\n}", "{\"a\" : 1}", "[1,]", "{ }", "[\n]",
      #"{"a":1,"a":2}"#, #"["\ud83d"]"#, "[\"\u{202e}\"]",
      "[" + (0..<number(1...40)).map { #"{"id":\#($0),"name":"Ada \#($0)"}"# }.joined(separator: ",") + "]",
      String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
      String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ])
  }

  mutating func content() -> Cassette.Content {
    switch number(0...5) {
    case 0: return .none
    case 1: return .inline(Data(document().utf8))
    case 2: return .inline(Data(("a" + text()).utf8))
    case 3: return .inline(Data([0xFF] + bytes(number(0...200))))
    case 4:
      let file = Cassette.FileContent(
        name: "users-0123456789abcdef.bin", length: Int64(number(0...1 << 40)), sha256: Data(bytes(32)))
      return .file(file)
    default: return .inline(Data("data: a\n\ndata: b\n\n".utf8))
    }
  }

  mutating func response() -> Cassette.Response {
    let version = pick([nil, ProtocolVersion.http1_0, .http1_1, .http2, .http3])
    let reason = pick(["", "OK", "Gone fishing", "é"])
    let status = HTTPResponse.Status(code: number(200...999), reasonPhrase: reason)
    var response = Cassette.Response(
      head: HTTPResponse(status: status, headerFields: fields()), version: version,
      source: flag() ? .origin : .proxy, after: time(), body: content(), codings: pick([[], ["gzip"], ["br", "gzip"]]))
    var rest = Int(response.body.length)
    for _ in 0..<number(0...20) {
      let count = number(0...rest)
      response.chunks.append(Cassette.Chunk(after: time(), count: count))
      rest -= count
    }
    if rest > 0 { response.chunks.append(Cassette.Chunk(after: flag() ? response.after : time(), count: rest)) }
    return response
  }

  mutating func end(_ response: Cassette.Response?) -> Cassette.End {
    switch number(response == nil ? 2...4 : 0...4) {
    case 0: .complete(trailers: nil)
    case 1: .complete(trailers: fields())
    case 2: .stalled
    default:
      .failed(
        Cassette.Failure(
          kind: pick(["connectionLost", "timedOut(connect)", "complete", "stalled"]), message: text(),
          isUnprocessed: flag(), fault: pick([nil, ".reset(afterBytes: 1000)"])))
    }
  }

  mutating func entry() -> Cassette.Entry {
    let body = flag() ? content() : .digest(length: 1 << 40, sha256: Data(bytes(32)))
    let url = "https://api.example.com/users?page=\(number(0...9))&q=\(pick(["a", "é", "a b", "\"", "%20"]))"
    let request = Cassette.Request(
      method: pick([.get, .post, .put]), url: url, fields: fields(), body: body, isCut: flag())
    let response = flag() ? response() : nil
    let interim = (0..<number(0...2)).map { _ in
      let status = HTTPResponse.Status(code: number(100...199), reasonPhrase: pick(["", "Early Hints"]))
      return Cassette.Interim(head: HTTPResponse(status: status, headerFields: fields()), after: time())
    }
    return Cassette.Entry(
      request: request, begin: time(), interim: interim, response: response, end: end(response), duration: time(),
      isConnectionReused: flag())
  }

  mutating func header() -> Cassette.Header {
    let date = Date(timeIntervalSince1970: Double(number(-11_000_000_000_000...250_000_000_000_000)) / 1_000)
    var header = Cassette.Header(date: date, capabilities: TransportCapabilities(rawValue: next()))
    for name in 0..<number(0...3) {
      header.origins["https://\(name).example.com"] = Cassette.Origin(
        address: pick([nil, "192.0.2.1:443"]), certificates: (0..<number(0...3)).map { _ in Data(bytes(80)) },
        verifiedCertificates: (0..<number(0...3)).map { _ in Data(bytes(80)) },
        tls: pick([
          nil, Cassette.TLS(version: "TLSv1.2", cipher: "ECDHE-RSA-AES128-GCM-SHA256"),
          Cassette.TLS(version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", applicationProtocol: "h2"),
        ]))
    }
    return header
  }
}
