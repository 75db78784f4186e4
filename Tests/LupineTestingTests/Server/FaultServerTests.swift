import HTTPTypes
import LupineMock
import LupineTesting
import Testing

/// The effect of each fault on real sockets.
///
/// The conformance kit checks that all transports report a fault with the same error.
@Suite struct FaultServerTests {
  private func port(_ server: FaultServer) throws -> Int {
    try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
  }

  @Test(
    arguments: [
      (.truncated(afterBytes: 2), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"),
      (.truncated(afterBytes: 9), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"),
      (.dribble(every: .seconds(1)), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
      (
        .malformedChunk,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"
      ),
      (.doubledLength, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\naaaaaa"),
      (.oversizedField(bytes: 3), "HTTP/1.1 200 OK\r\nX-Oversized: aaa\r\nContent-Length: 5\r\n\r\nhello"),
      (.stallBeforeHead, ""), (.stall(afterBytes: 1), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh"),
    ] as [(NetworkFault, String)])
  func `a fault writes its bytes`(fault: NetworkFault, bytes: String) throws {
    let server = try FaultServer(fault)
    let client = try RawClient(port: try port(server))
    try client.send(get())
    #expect(try client.read(count: bytes.utf8.count) == bytes)
  }

  @Test(arguments: [NetworkFault.resetBeforeHead, .resetAfterHead, .reset(afterBytes: 2)])
  func `a reset is one`(fault: NetworkFault) throws {
    let server = try FaultServer(fault)
    let client = try RawClient(port: try port(server))
    try client.send(get())
    #expect(throws: RawClient.Failure.reset) { while try !client.receive().isEmpty {} }
  }

  @Test func `a closed port refuses`() throws {
    let server = try FaultServer(.connectionRefused)
    let port = try port(server)
    #expect(throws: RawClient.Failure.refused) { try RawClient(port: port) }
  }

  @Test func `a client of TLS receives the alert handshake_failure`() throws {
    let server = try FaultServer(.tlsRefused)
    #expect(server.url.hasPrefix("https://127.0.0.1:"))
    let client = try RawClient(port: try port(server))
    try client.send("\u{16}\u{3}\u{1}")
    #expect(try Array(client.read(count: 7).utf8) == [0x15, 3, 3, 0, 2, 2, 0x28])
  }

  @Test func `a client of HTTP/2 receives GOAWAY`() throws {
    let server = try FaultServer(.goAway)
    let client = try RawClient(port: try port(server))
    try client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    let frames = try Array(client.read(count: 26).utf8)
    #expect(frames[3] == 4)  // SETTINGS
    #expect(frames[12] == 7)  // GOAWAY
  }

  @Test(arguments: [NetworkFault.hostNotFound, .networkUnreachable, .connectionStalled])
  func `a place that cannot be reached has a URL`(fault: NetworkFault) throws {
    #expect(try FaultServer(fault).url.hasPrefix("http://"))
  }

  @Test func `a bomb is small`() throws {
    let server = try FaultServer(.compressedBomb(decodedBytes: 258_001))
    let client = try RawClient(port: try port(server))
    try client.send(get())
    let start = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 1"
    #expect(try client.read(count: start.utf8.count) == start)
  }
}
