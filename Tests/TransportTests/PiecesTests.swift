import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

/// Responses that arrive in pieces, over real connections.
@Suite(.overEachTransport, .timeLimit(.minutes(1))) struct PiecesTests {
  /// A response, and its content.
  struct Whole: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String

    var bytes: [UInt8] { Array(text.utf8) }
  }

  static let wholes = [
    Whole(testDescription: "a length", text: "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello"),
    Whole(
      testDescription: "chunks with a trailer behind a 103",
      text: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX-T: 1\r\n\r\n"),
  ]

  @Test(arguments: wholes)
  func `a response in two pieces, divided at every place, is the same`(whole: Whole) async throws {
    let bytes = whole.bytes
    let server = try ScriptedServer { request in
      guard let place = Int(request.path.dropFirst()) else { return [.close] }
      let gate = Gate()
      gate.open()
      // The wait sends the first piece before the second one is written.
      let (first, second) = (Array(bytes[..<place]), Array(bytes[place...]))
      return ScriptedReply([.raw(first), .wait(gate), .raw(second)], connection: .keep)
    }
    let client = Client()
    for place in 1..<bytes.count {
      #expect(try await client.fetch(server.url + "/\(place)").text == "hello", "divided at \(place)")
    }
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test(arguments: wholes)
  func `a response byte by byte is the same`(whole: Whole) async throws {
    let server = try ScriptedServer(always: ScriptedReply([.drip(whole.bytes)], connection: .keep))
    let client = Client()
    for _ in 0..<3 {
      let response = try await client.fetch(server.url)
      #expect(response.text == "hello")
      #expect(response.end.metrics.bytesReceived == 5)
    }
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test(arguments: wholes)
  func `a response that ends early, at every place, is a lost connection`(whole: Whole) async throws {
    let bytes = whole.bytes
    let server = try ScriptedServer { request in
      guard let place = Int(request.path.dropFirst()) else { return [.close] }
      return [.raw(Array(bytes[..<place])), .close]
    }
    let client = Client()
    for place in 0..<bytes.count {
      #expect(await client.failure(server.url + "/\(place)")?.kind == .connectionLost, "ended at \(place)")
    }
    // libcurl counts a connection until its last exchange has been cleaned up.
    if TestTransport.isNative { #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot()) }
    await client.transport.shutdown()
  }
}
