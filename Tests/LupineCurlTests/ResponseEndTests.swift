import HTTPTypes
import LupineCore
import LupineFraming
import Testing

@testable import LupineCurl

@Suite struct ResponseEndTests {
  private func framing(
    _ method: HTTPRequest.Method = .get, _ lines: String...
  ) throws -> ResponseEnd.Framing {
    var reader = HeadReader(Limits(), HeadCache(), mayBeMultiplexed: true)
    for line in lines + [""] {
      let head = try Array("\(line)\r\n".utf8).withUnsafeBytes { bytes throws(LupineError) in try reader.process(bytes)
      }
      if case .final(let head) = head { return ResponseEnd.Framing(head, to: method) }
    }
    throw LupineError(.other, "The head has no end.")
  }

  @Test func `the end of a body follows from its head`() throws {
    #expect(try framing(.head, "HTTP/1.1 200 OK", "Content-Length: 5") == .head)
    #expect(try framing(.get, "HTTP/2 204 ") == .head)
    #expect(try framing(.get, "HTTP/1.1 304 Not Modified", "Content-Length: 5") == .head)
    #expect(try framing(.get, "HTTP/1.1 200 OK", "Content-Length: 5") == .length(5))
    #expect(try framing(.get, "HTTP/2 200 ", "content-length: 5") == .length(5))
    #expect(try framing(.get, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked") == .chunks)
    #expect(try framing(.get, "HTTP/1.1 200 OK") == .close)
    #expect(try framing(.get, "HTTP/1.0 200 OK") == .close)
    #expect(try framing(.get, "HTTP/2 200 ") == .stream)
  }

  @Test func `the end of a connection proves nothing but for a body that it ends, in order`() {
    for framing in [ResponseEnd.Framing.head, .length(5), .chunks] {
      #expect(
        ResponseEnd(framing: framing, received: 5, isConnectionClosed: true, hasCloseNotify: false).failure == nil)
    }
    #expect(ResponseEnd(framing: .length(5), received: 4).failure?.kind == .connectionLost)
    #expect(ResponseEnd(framing: .stream, received: 5).failure == nil)
    #expect(ResponseEnd(framing: .stream, received: 5, isConnectionClosed: true).failure?.kind == .connectionLost)
    #expect(ResponseEnd(framing: .close, received: 5).failure == nil)
    #expect(ResponseEnd(framing: .close, received: 5, hasCloseNotify: true).failure == nil)
    #expect(ResponseEnd(framing: .close, received: 5, hasCloseNotify: false).failure?.kind == .connectionLost)
  }

  @Test func `only a length and a head are reached before the stream ends`() {
    #expect(ResponseEnd.Framing.head.isReached(by: 0))
    #expect(ResponseEnd.Framing.length(5).isReached(by: 5) && !ResponseEnd.Framing.length(5).isReached(by: 4))
    for framing in [ResponseEnd.Framing.chunks, .stream, .close] { #expect(!framing.isReached(by: 5)) }
  }
}
