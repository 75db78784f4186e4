import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineStreams
import Testing

@Suite struct StreamTests {
  let mock = MockTransport()
  let session: Session

  init() throws {
    session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
  }

  @Test func `lines come in order, whatever their ends and wherever they are cut`() async throws {
    mock.stub(
      .get, "https://example.com/a", MockReply.status(.ok).chunked(["on", "e\r", "\ntwo\rth", "ree\n\nfi", "ve"]))
    var lines: [String] = []
    for try await line in session.streamRequest("a").serializingLines() { lines.append(line) }
    #expect(lines == ["one", "two", "three", "", "five"])
  }

  @Test func `bytes come as they are`() async throws {
    mock.stub(.get, "https://example.com/a", MockReply.status(.ok).chunked(["ab", "cd"]))
    var bytes: [UInt8] = []
    for try await piece in session.streamRequest("a").serializingBytes() { bytes += piece }
    #expect(bytes == Array("abcd".utf8))
  }

  @Test func `a character that is cut waits for its rest`() async throws {
    let bytes = Data("aé€😀b".utf8)
    let pieces = bytes.map { Data([$0]) }
    mock.stub(.get, "https://example.com/a", MockReply.status(.ok).chunked(pieces))
    var text: [String] = []
    for try await piece in session.streamRequest("a").serializingStrings() { text.append(piece) }
    #expect(text.joined() == "aé€😀b")
    #expect(!text.contains { $0.contains("\u{FFFD}") })
  }

  @Test func `a head that is refused hands nothing over`() async throws {
    mock.stub(.get, "https://example.com/a", .text("no", status: .notFound))
    let stream = session.streamRequest("a").validate().serializingLines()
    await #expect { for try await line in stream { Issue.record("handed over: \(line)") } } throws: { error in
      (error as? LupineError)?.kind == .unacceptableStatusCode(404)
    }
  }

  @Test func `the values before a failure are handed over`() async throws {
    mock.stub(.get, "https://example.com/a", MockReply.text("one\ntwo\nthree").reset(afterBytes: 9))
    var lines: [String] = []
    do {
      for try await line in session.streamRequest("a").serializingLines() { lines.append(line) }
      Issue.record("the stream ended well")
    } catch {
      #expect(error.kind == .connectionLost)
    }
    #expect(lines == ["one", "two"])
  }

  @Test func `a line that is too long is an error`() async throws {
    mock.stub(.get, "https://example.com/a", .text(String(repeating: "x", count: 100)))
    let stream = session.streamRequest("a").serializingLines(limit: 50)
    await #expect { for try await _ in stream {} } throws: { error in
      (error as? LupineError)?.kind == .limitExceeded(.line)
    }
  }

  @Test func `values are decoded from lines`() async throws {
    mock.stub(.get, "https://example.com/a", .text("{\"n\":1}\n\n{\"n\":2}\n"))
    var values: [[String: Int]] = []
    for try await value in session.streamRequest("a").serializingDecodableLines(of: [String: Int].self) {
      values.append(value)
    }
    #expect(values == [["n": 1], ["n": 2]])
  }

  @Test(arguments: ["{\"n\":\r1}\n{\"n\":2}", "{\"n\":1}\r\n\r\n{\"n\":2}\r\n", "\u{FEFF}{\"n\":1}\n{\"n\":2}\r"])
  func `a line of JSON ends with a line feed, and a return alone is white space`(text: String) async throws {
    mock.stub(.get, "https://example.com/a", .text(text))
    var values: [[String: Int]] = []
    for try await value in session.streamRequest("a").serializingDecodableLines(of: [String: Int].self) {
      values.append(value)
    }
    #expect(values == [["n": 1], ["n": 2]])
  }

  @Test func `a line of JSON that is no UTF-8 is an error, not another text`() async throws {
    var bytes = Data("{\"n\":\"a\"}\n{\"n\":\"".utf8)
    bytes.append(0xC3)
    bytes.append(contentsOf: "\"}\n".utf8)
    mock.stub(.get, "https://example.com/a", MockReply.status(.ok).chunked([bytes]))
    var values: [[String: String]] = []
    let error = await #expect(throws: LupineError.self) {
      for try await value in session.streamRequest("a").serializingDecodableLines(of: [String: String].self) {
        values.append(value)
      }
    }
    #expect(values == [["n": "a"]])
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("UTF-8") == true)
  }

  @Test(arguments: [1, 2, 100])
  func `a byte order mark is no part of the text, nor of its first line`(size: Int) async throws {
    let bytes = Data("\u{FEFF}one\n\u{FEFF}two".utf8)
    let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    mock.stub(.get, "https://example.com/a", MockReply.status(.ok).chunked(pieces))
    var lines: [String] = []
    for try await line in session.streamRequest("a").serializingLines() { lines.append(line) }
    #expect(lines == ["one", "\u{FEFF}two"])
    var text = ""
    for try await piece in session.streamRequest("a").serializingStrings() { text += piece }
    #expect(text.unicodeScalars.elementsEqual("one\n\u{FEFF}two".unicodeScalars))
  }

  @Test func `the error of a line that does not decode names the reason`() async throws {
    mock.stub(.get, "https://example.com/a", .text("{\"n\":\"one\"}\n"))
    let stream = session.streamRequest("a").serializingDecodableLines(of: [String: Int].self)
    await #expect { for try await _ in stream {} } throws: { error in
      guard let error = error as? LupineError else { return false }
      return error.kind == .serializationFailed && error.message.contains("at `n`") && error.underlying is DecodingError
    }
  }

  @Test(arguments: [("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")])
  func `a line that is a deep property list exceeds the limit of nesting`(open: String, close: String) async throws {
    let deep = String(repeating: open, count: 600) + String(repeating: close, count: 600)
    mock.stub(.get, "https://example.com/a", .text("<?xml version=\"1.0\"?><plist>\(deep)</plist>\n"))
    let stream = session.streamRequest("a").serializingDecodableLines(of: [Int].self, decoder: PropertyListDecoder())
    await #expect { for try await _ in stream {} } throws: { error in
      (error as? LupineError)?.kind == .limitExceeded(.nesting)
    }
  }

  @Test func `a consumer that stops ends the request`() async throws {
    mock.stub(.get, "https://example.com/a", MockReply.status(.ok).chunked(["one\n", "two\n"]).stall(afterBytes: 8))
    for try await line in session.streamRequest("a").serializingLines() {
      #expect(line == "one")
      break
    }
    await session.finishRequests()
  }
}
