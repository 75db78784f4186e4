import HTTPTypes
import LupineCore
import LupineFraming
import Testing

@testable import LupineCurl

@Suite struct IncomingTests {
  private var incoming = Incoming()
  private var headReader = HeadReader(Limits(), HeadCache())
  private let body: ResponseBody
  private let writer: ResponseBodyWriter

  init() {
    let context = TransferContext(id: RequestID(1)) { _ in .stream(window: 4) }
    (body, writer) = context.makeBody(for: HTTPResponse(status: .ok), resume: {})
  }

  private mutating func pass(_ text: String, isSlow: Bool = false) throws -> Incoming.Progress {
    try Array(text.utf8).withUnsafeBytes { (bytes) throws(LupineError) in
      try incoming.pass(bytes, to: writer, trailersTo: &headReader, isSlow: isSlow)
    }
  }

  @Test mutating func `a length is reached with its last byte`() throws {
    incoming.begin(.length(3), Limits())
    #expect(try pass("ab").hasEnded == false)
    #expect(!incoming.hasReachedEnd)
    #expect(try pass("c").hasEnded == true)
    #expect(incoming.hasReachedEnd && incoming.byteCount == 3)
    #expect(incoming.end?.failure == nil)
  }

  @Test mutating func `a full sink pauses the exchange until it has room`() throws {
    incoming.begin(.length(9), Limits())
    #expect(incoming.resume() == false)
    #expect(try pass("abcd").isKept == false)
    #expect(incoming.mustPause)
    #expect(incoming.resume() == true)
    #expect(!incoming.mustPause)
    #expect(incoming.resume() == false)
  }

  @Test mutating func `a piece of chunks continues behind the content that the sink has`() async throws {
    incoming.begin(.chunks, Limits())
    let piece = "4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n"
    let first = try pass(piece)
    #expect(first.isKept && !first.hasEnded)
    #expect(incoming.byteCount == 4)
    #expect(incoming.end?.failure?.kind == .connectionLost)
    #expect(try await body.next() == Array("abcd".utf8))
    #expect(incoming.resume() == true)
    let second = try pass(piece)
    #expect(!second.isKept && second.hasEnded && !second.hasSurplus)
    #expect(try await body.next() == Array("ef".utf8))
    #expect(incoming.end?.failure == nil)
  }

  @Test mutating func `bytes behind the last chunk are surplus`() throws {
    incoming.begin(.chunks, Limits())
    #expect(try pass("0\r\n\r\nHTTP/1.1").hasSurplus == true)
  }

  @Test mutating func `a slow call of libcurl and a used turn make the exchange yield`() throws {
    incoming.begin(.length(99), Limits())
    _ = try pass("a", isSlow: true)
    #expect(incoming.isYielding && incoming.mustPause)
    #expect(incoming.resumeAfterYield() == true)
    #expect(!incoming.mustPause)
    #expect(incoming.resumeAfterYield() == false)
  }
}
