import HTTPTypes
import LupineCore
import PeerSupport
import Testing

@testable import LupineNative

/// Frames of a server, cut at every place.
@Suite(.timeLimit(.minutes(1))) struct SessionTests {
  typealias Frame = HTTP2Peer.Frame

  /// The frames that answer the request on stream 1, and the events that follow.
  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let frames: [Frame]
    let events: [String]
    var method = HTTPRequest.Method.get

    init(_ name: String, _ frames: [Frame], _ events: [String], method: HTTPRequest.Method = .get) {
      testDescription = name
      self.frames = [Frame(type: 4)] + frames
      self.events = events
      self.method = method
    }

    var bytes: [UInt8] { frames.flatMap(\.bytes) }
    /// Whether the events state a complete response.
    var isWhole: Bool { events.contains { $0.hasPrefix("end") } }
  }

  static let wholes = [
    Script(
      "a body in two frames", [.head(1, [("x-a", "1")]), .data(1, "he", ends: false), .data(1, "llo", ends: true)],
      ["head 200 [\"x-a=1\"]", "content hello", "end []"]),
    Script(
      "trailers behind a 103 and a body of its length",
      [
        .head(1, status: 103, [("link", "</a>")]), .head(1, [("content-length", "5")]), .data(1, "hello", ends: false),
        .trailers(1, [("x-sum", "9")]),
      ],
      ["interim 103", "head 200 [\"content-length=5\"]", "content hello", "end [\"x-sum=9\"]"]),
    Script("no body", [.head(1, status: 204, ends: true)], ["head 204 []", "end []"]),
    Script(
      "the answer to HEAD", [.head(1, [("content-length", "5")], ends: true)],
      ["head 200 [\"content-length=5\"]", "end []"], method: .head),
    Script(
      "not modified, with a length", [.head(1, status: 304, [("content-length", "5")], ends: true)],
      ["head 304 [\"content-length=5\"]", "end []"]),
    Script(
      "fields in CONTINUATION, between other frames",
      [
        Frame(type: 6, payload: [UInt8](repeating: 1, count: 8)), Frame(type: 0xFA, payload: [1, 2]),
        Frame(type: 1, stream: 1, payload: Frame.block([(":status", "200")])),
        Frame(type: 9, flags: 4, stream: 1, payload: Frame.block([("x-a", "1")])),
        Frame(type: 8, payload: [0, 0, 0, 9]), Frame(type: 2, stream: 1, payload: [0, 0, 0, 3, 1]),
        .data(1, "hello", ends: true),
      ], ["head 200 [\"x-a=1\"]", "content hello", "end []"]),
    Script(
      "padding",
      [
        Frame(type: 1, flags: 12, stream: 1, payload: [2] + Frame.block([(":status", "200")]) + [0, 0]),
        Frame(type: 0, flags: 9, stream: 1, payload: [1, 0x78, 0]),
      ],
      ["head 200 []", "content x", "end []"]),
    Script(
      "GOAWAY that includes the stream", [.goAway(last: 1), .head(1), .data(1, "x", ends: true)],
      ["head 200 []", "content x", "end []"]),
  ]

  @Test(arguments: wholes)
  func `a response has the same events however its bytes are cut`(script: Script) throws {
    let bytes = script.bytes
    #expect(try SessionStage.events(of: bytes, method: script.method) == script.events)
    for place in 0..<bytes.count {
      let events = try SessionStage.events(of: bytes, cutAt: [place], method: script.method)
      #expect(events == script.events, "cut at \(place)")
    }
    let single = try SessionStage.events(of: bytes, cutAt: Array(1..<bytes.count), method: script.method)
    #expect(single == script.events, "byte by byte")
  }

  @Test(arguments: wholes)
  func `a response that is cut off, at every place, is not whole`(script: Script) throws {
    let bytes = script.bytes
    for place in 0..<bytes.count {
      let events = try SessionStage.events(of: Array(bytes[..<place]), method: script.method)
      #expect(!events.contains { $0.hasPrefix("end") }, "cut off at \(place)")
      #expect(events.last == "closed connectionLost", "cut off at \(place)")
    }
  }

  static let violations: [Script] =
    [
      ("DATA on an idle stream", [.data(99, "x", ends: false)]),
      ("DATA before HEADERS", [.data(1, "x", ends: false)]),
      ("an end without a head", [.data(1, "", ends: true)]),
      ("DATA on stream 0", [.data(0, "x", ends: false)]),
      ("padding longer than its frame", [Frame(type: 0, flags: 8, stream: 1, payload: [255, 0])]),
      ("a frame longer than agreed", [Frame(type: 0, stream: 1, payload: [UInt8](repeating: 0, count: 16_385))]),
      ("PUSH_PROMISE", [Frame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2, 0x82, 0x86, 0x84])]),
      ("HEADERS on an even stream", [.head(2)]),
      ("a window overflow", [Frame(type: 8, payload: [0x7F, 255, 255, 255])]),
      ("a window update of 0", [Frame(type: 8, payload: [0, 0, 0, 0])]),
      ("SETTINGS that enable pushes in a wrong way", [Frame(type: 4, payload: [0, 2, 0, 0, 0, 7])]),
      ("SETTINGS of a bad size", [Frame(type: 4, payload: [1])]),
      ("PING of a bad size", [Frame(type: 6, payload: [1])]),
      ("a bad block of fields", [Frame(type: 1, flags: 4, stream: 1, payload: [255, 255, 255, 255, 255, 255])]),
      ("CONTINUATION without HEADERS", [Frame(type: 9, flags: 4, stream: 1, payload: [0x88])]),
      ("an upper-case name", [.head(1, [("X-A", "1")])]),
      ("an empty name", [.head(1, [("", "1")])]),
      ("a name with a colon", [.head(1, [("x:a", "1")])]),
      ("a value with a line feed", [.head(1, [("x-a", "1\n2")])]),
      ("a value with NUL", [.head(1, [("x-a", "1\0")])]),
      ("a value that begins with a blank", [.head(1, [("x-a", " 1")])]),
      ("Connection", [.head(1, [("connection", "close")])]),
      ("Transfer-Encoding", [.head(1, [("transfer-encoding", "chunked")])]),
      ("Keep-Alive", [.head(1, [("keep-alive", "1")])]),
      ("a head without a status", [.trailers(1, [("x-a", "1")])]),
      ("a status that is no number", [Frame(type: 1, flags: 4, stream: 1, payload: Frame.block([(":status", "2x0")]))]),
      ("two statuses", [.head(1, [(":status", "200")])]),
      ("an unknown pseudo-header field", [.head(1, [(":path", "/")])]),
      (
        "a pseudo-header field behind others",
        [Frame(type: 1, flags: 4, stream: 1, payload: Frame.block([("x-a", "1"), (":status", "200")]))]
      ),
      ("status 101", [.head(1, status: 101)]),
      ("an interim head that ends the stream", [.head(1, status: 103, ends: true)]),
      ("two lengths", [.head(1, [("content-length", "1"), ("content-length", "1")])]),
      ("a length that is no number", [.head(1, [("content-length", "1x")])]),
      ("a body shorter than its length", [.head(1, [("content-length", "5")]), .data(1, "hell", ends: true)]),
      ("a body longer than its length", [.head(1, [("content-length", "5")]), .data(1, "hello!", ends: true)]),
      ("no body where a length is stated", [.head(1, [("content-length", "5")], ends: true)]),
      ("trailers that do not end the stream", [.head(1), .head(1, [])]),
      ("a pseudo-header field in trailers", [.head(1), .trailers(1, [(":status", "200")])]),
      ("Connection in trailers", [.head(1), .trailers(1, [("connection", "close")])]),
      ("the end by PROTOCOL_ERROR", [.head(1), .reset(1, code: 1)]),
    ].map { Script($0.0, $0.1, ["closed malformedResponse"]) } + [
      Script("a body of 204", [.head(1, status: 204), .data(1, "x", ends: true)], ["closed malformedResponse"]),
      Script(
        "a body of the answer to HEAD", [.head(1), .data(1, "x", ends: true)], ["closed malformedResponse"],
        method: .head),
      Script("the end by NO_ERROR", [.head(1), .reset(1, code: 0)], ["closed connectionLost"]),
      Script(
        "the end by CANCEL", [.head(1), .data(1, "x", ends: false), .reset(1, code: 8)], ["closed connectionLost"]),
      Script("the end by INTERNAL_ERROR", [.reset(1, code: 2)], ["closed connectionLost"]),
      Script("REFUSED_STREAM", [.reset(1, code: 7)], ["closed connectionLost, unprocessed"]),
      Script("REFUSED_STREAM behind a head", [.head(1), .reset(1, code: 7)], ["closed connectionLost"]),
      Script("GOAWAY that excludes the stream", [.goAway(last: 0)], ["closed connectionLost, unprocessed"]),
      Script("garbage", [], ["closed malformedResponse"]),
    ]

  @Test(arguments: violations)
  func `a response that breaks a rule is an error however its bytes are cut`(script: Script) throws {
    let bytes = script.testDescription == "garbage" ? Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) : script.bytes
    let whole = try SessionStage.events(of: bytes, method: script.method)
    #expect(whole.last == script.events.last)
    #expect(!whole.contains { $0.hasPrefix("end") })
    // The content that arrives before the error depends on the cut; a long frame is cut at some places only.
    for place in 0..<min(bytes.count, 400) {
      let events = try SessionStage.events(of: bytes, cutAt: [place], method: script.method)
      #expect(events.last == script.events.last, "cut at \(place)")
      #expect(!events.contains { $0.hasPrefix("end") }, "cut at \(place)")
    }
    let single = try SessionStage.events(of: bytes, cutAt: Array(1..<bytes.count), method: script.method)
    #expect(single.last == script.events.last, "byte by byte")
  }

  @Test func `a list of fields beyond the limits is an error of the limit`() throws {
    // Index 62 is the newest entry of the dynamic table (RFC 7541 section 2.3.3).
    let entry: [UInt8] = [0x40, 1, 0x78, 0x7E] + [UInt8](repeating: 0x61, count: 126)
    let block = Frame.block([(":status", "200")]) + entry + [UInt8](repeating: 0xBE, count: 12_000)
    let many = Frame.block([(":status", "200")] + (0..<2_000).map { ("x-\($0)", "a") })
    for block in [block, Array(many[..<many.count])] {
      let pieces = stride(from: 0, to: block.count, by: 8_000).map { Array(block[$0..<min($0 + 8_000, block.count)]) }
      let frames = pieces.enumerated().map { index, piece in
        Frame(type: index == 0 ? 1 : 9, flags: index == pieces.count - 1 ? 4 : 0, stream: 1, payload: piece)
      }
      let events = try SessionStage.events(of: ([Frame(type: 4)] + frames).flatMap(\.bytes))
      #expect(
        [
          ["closed limitExceeded(responseFields)"],
          ["closed limitExceeded(responseFieldCount)"],
        ].contains(events), "\(events)")
    }
  }
}
