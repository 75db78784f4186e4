import HTTPTypes
import LupineCore
import LupineFraming
import Testing

@Suite struct ResponseReaderTests {
  @Test func `a response is read with its interim heads, its content and its trailers`() throws {
    let reading = try ResponseReading.theSame(
      of: ResponseCase.bytes(
        "HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎HTTP/1.1 200 OK⏎Server: a⏎Transfer-Encoding: chunked⏎⏎5⏎hello⏎0⏎ETag: 1⏎⏎"
      ))
    #expect(reading.interim == ["103 Early Hints|link=</a>"])
    #expect(reading.status == "200 OK" && reading.version == .http1_1)
    #expect(reading.fields == ["server=a", "transfer-encoding=chunked"])
    #expect(reading.content == Array("hello".utf8))
    #expect(reading.trailers == ["etag=1"])
    #expect(reading.keepsConnection && reading.rest.isEmpty)
  }

  @Test func `content is returned as ranges of the piece`() throws {
    let bytes = ResponseCase.bytes("HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎hello")
    var reader = ResponseReader(to: .get, Limits(), HeadCache())
    var position = 0
    var ranges: [Range<Int>] = []
    try bytes.withUnsafeBytes {
      while let event = try reader.next(in: $0, from: &position) {
        if case .content(let range) = event { ranges.append(range) }
      }
    }
    #expect(ranges == [(bytes.count - 5)..<bytes.count])
    #expect(position == bytes.count && reader.isFinished)
  }

  @Test func `an error repeats`() throws {
    var reader = ResponseReader(to: .get, Limits(), HeadCache())
    var position = 0
    for _ in 0..<2 {
      let error = #expect(throws: LupineError.self) {
        try [UInt8]("SSH".utf8).withUnsafeBytes { _ = try reader.next(in: $0, from: &position) }
      }
      #expect(error?.kind == .malformedResponse)
    }
    #expect(throws: LupineError.self) { try reader.connectionEnded() }
    #expect(!reader.isFinished && !reader.keepsConnection)
  }

  @Test func `a head that repeats with a cookie is read each time`() throws {
    let cache = HeadCache()
    for number in 0..<5 {
      let value = number % 2 == 0 ? "a=\(number)" : "a=1"
      let bytes = ResponseCase.bytes(
        "HTTP/1.1 200 OK⏎Server: a⏎Set-Cookie: \(value)⏎Date: \(number)⏎Content-Length: 0⏎⏎")
      let reading = ResponseReading([bytes], .get, Limits(), cache)
      #expect(reading.fields == ["server=a", "set-cookie=\(value)", "date=\(number)", "content-length=0"])
    }
  }

  @Test func `a head that begins like the last one and then differs is read`() throws {
    let cache = HeadCache()
    let heads = ["A: 1⏎B: 2⏎", "A: 1⏎B: 2⏎", "A: 1⏎B: 3⏎", "A: 1⏎", "A: 1⏎B: 2⏎C: 3⏎", "B: 2⏎A: 1⏎", "", "A: 1⏎B: 2⏎"]
    for fields in heads {
      let bytes = ResponseCase.bytes("HTTP/1.1 200 OK⏎\(fields)Content-Length: 1⏎⏎x")
      let reading = ResponseReading([bytes], .get, Limits(), cache)
      #expect(reading == ResponseReading(bytes.map { [$0] }, .get, Limits(), HeadCache()))
      #expect(reading.framing == .length(1))
    }
  }
  /// At every place of the first head another head of the same connections is read, which changes what is cached.
  @Test func `a head stays whole while another reader of the same cache reads others`() throws {
    let first = ResponseCase.bytes("HTTP/1.1 200 OK⏎A: 1⏎B: 2⏎C: 3⏎Content-Length: 0⏎⏎")
    let others = ["A: 9⏎B: 8⏎C: 7⏎", "A: 1⏎", "Z: 1⏎Y: 2⏎X: 3⏎W: 4⏎V: 5⏎", "A: 1⏎B: 2⏎C: 4⏎"].map {
      ResponseCase.bytes("HTTP/1.1 200 OK⏎\($0)Content-Length: 0⏎⏎")
    }
    for place in 0...first.count {
      let cache = HeadCache()
      for _ in 0..<3 { _ = ResponseReading([first], .get, Limits(), cache) }
      for other in others {
        var reader = ResponseReader(to: .get, Limits(), cache)
        var fields: [String] = []
        for piece in [first[..<place], first[place...]] {
          var position = 0
          try Array(piece).withUnsafeBytes { bytes in
            while let event = try reader.next(in: bytes, from: &position) {
              guard case .head(let head, _) = event else { continue }
              fields = head.response.headerFields.map { "\($0.name.canonicalName)=\($0.value)" }
            }
          }
          for _ in 0..<3 { _ = ResponseReading([other], .get, Limits(), cache) }
        }
        #expect(fields == ["a=1", "b=2", "c=3", "content-length=0"], "cut at \(place)")
      }
    }
  }
}
