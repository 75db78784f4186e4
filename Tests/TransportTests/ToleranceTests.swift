import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport
import TrustSupport

/// The tolerances of `ResponseTolerances` over real connections.
@Suite(.overEachTransport, .timeLimit(.minutes(2))) struct ToleranceTests {
  /// A response that one tolerance accepts; its content is `hello`.
  struct Script: Sendable, CustomTestStringConvertible {
    let tolerance: ResponseTolerances
    let text: String
    /// Whether its connection may be used again.
    var keeps = false

    var bytes: [UInt8] { Array(text.utf8) }
    var testDescription: String { "\(tolerance): \(text.debugDescription)" }
  }

  static let scripts: [Script] = [
    Script(
      tolerance: .repeatedChunkedCoding,
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    Script(
      tolerance: .repeatedChunkedCoding,
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    Script(
      tolerance: .spaceAfterChunkSize,
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0 \t\r\n\r\n"),
    Script(
      tolerance: .equalContentLengths,
      text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", keeps: true),
    Script(
      tolerance: .equalContentLengths, text: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", keeps: true),
    Script(tolerance: .bareLineFeeds, text: "HTTP/1.1 200 OK\nA: b\nContent-Length: 5\n\nhello"),
    Script(
      tolerance: .bareLineFeeds, text: "HTTP/1.1 103 Hints\nA: b\n\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    Script(
      tolerance: .bareLineFeeds,
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\n\n"),
    Script(
      tolerance: .controlBytesInValues,
      text: "HTTP/1.1 200 OK\r\nX-Name: a\u{1}b\r\nContent-Length: 5\r\n\r\nhello", keeps: true),
    Script(
      tolerance: .identityCoding,
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello"),
  ]

  private func client(_ tolerances: ResponseTolerances) -> Client {
    var client = Client()
    client.tolerances = tolerances
    return client
  }

  @Test(arguments: scripts)
  func `a tolerated response is whole in one piece, and ends its connection where another end is possible`(
    script: Script
  ) async throws {
    let server = try ScriptedServer(always: ScriptedReply([.raw(script.bytes)], connection: .keep))
    let client = client(script.tolerance)
    for _ in 0..<4 { #expect(try await client.fetch(server.url).text == "hello") }
    #expect(server.connectionCount == (script.keeps ? 1 : 4))
    await client.transport.shutdown()
  }

  @Test(arguments: scripts)
  func `a tolerated response in two pieces, divided at every place, is the same`(script: Script) async throws {
    let bytes = script.bytes
    let server = try ScriptedServer { request in
      guard let place = Int(request.path.dropFirst()) else { return [.close] }
      let gate = Gate()
      gate.open()
      let (first, second) = (Array(bytes[..<place]), Array(bytes[place...]))
      return ScriptedReply([.raw(first), .wait(gate), .raw(second)], connection: .keep)
    }
    let client = client(script.tolerance)
    for place in 1..<bytes.count {
      #expect(try await client.fetch(server.url + "/\(place)").text == "hello", "divided at \(place)")
    }
    #expect(server.connectionCount == (script.keeps ? 1 : bytes.count - 1))
    await client.transport.shutdown()
  }

  @Test(arguments: scripts)
  func `a tolerated response byte by byte is the same`(script: Script) async throws {
    let server = try ScriptedServer(always: ScriptedReply([.drip(script.bytes)], connection: .keep))
    let client = client(script.tolerance)
    for _ in 0..<2 {
      let response = try await client.fetch(server.url)
      #expect(response.text == "hello")
      #expect(response.end.metrics.bytesReceived == 5)
    }
    #expect(server.connectionCount == (script.keeps ? 1 : 2))
    await client.transport.shutdown()
  }

  /// The responses of a tolerant exchange must not make a strict one over the same transport accept them.
  @Test(arguments: scripts)
  func `without its tolerance a response is refused, and the error names the tolerance`(script: Script) async throws {
    let server = try ScriptedServer(always: ScriptedReply([.raw(script.bytes)], connection: .keep))
    var client = client(script.tolerance)
    for _ in 0..<3 { _ = try await client.fetch(server.url) }
    client.tolerances = Self.all.subtracting(script.tolerance)
    let error = await client.failure(server.url)
    #expect(error?.kind == .malformedResponse)
    #expect(error?.message.contains("'.tolerating([.\(script.tolerance)], of: host)'") == true, "\(error as Any)")
    client.tolerances = []
    #expect(await client.failure(server.url)?.kind == .malformedResponse)
    await client.transport.shutdown()
  }

  @Test func `a control byte becomes a space`() async throws {
    let server = try ScriptedServer(
      always: .verbatim("HTTP/1.1 200 OK\r\nX-Name: a\u{1B}[1mb\r\nContent-Length: 5\r\n\r\nhello"))
    let client = client(.controlBytesInValues)
    let name = try #require(HTTPField.Name("X-Name"))
    #expect(try await client.fetch(server.url).head.headerFields[name] == "a [1mb")
    await client.transport.shutdown()
  }

  @Test func `a body of the coding identity may end with the connection`() async throws {
    let server = try ScriptedServer { _ in
      [.raw(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello".utf8)), .close]
    }
    let client = client(.identityCoding)
    #expect(try await client.fetch(server.url).text == "hello")
    await client.transport.shutdown()
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nX-A: b\rX-B: c\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nX-A: b\0\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\u{B}\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a \r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n",
  ])
  func `no tolerance accepts what programs read in two ways`(_ text: String) async throws {
    let server = try ScriptedServer(always: .verbatim(text))
    let client = client(Self.all)
    #expect(await client.failure(server.url)?.kind == .malformedResponse)
    await client.transport.shutdown()
  }

  private static let all: ResponseTolerances = [
    .repeatedChunkedCoding, .spaceAfterChunkSize, .equalContentLengths, .bareLineFeeds, .controlBytesInValues,
    .missingCloseNotify, .identityCoding,
  ]
}

/// TLS that ends without close_notify, which the session tolerates.
extension ToleranceTests {
  private static let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"

  private func trustingClient(_ tolerances: ResponseTolerances = .missingCloseNotify) -> Client {
    var client = Client.trusting()
    client.tolerances = tolerances
    return client
  }

  @Test func `a body that FIN ends without close_notify is whole, in pieces of any size`() async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), ending: .cut)
    defer { peer.stop() }
    let client = trustingClient()
    for pieces in WirePeer.Pieces.allCases.flatMap({ $0.cuts(of: Array((Self.head + "hello").utf8)) }) {
      peer.play(pieces)
      #expect(try await client.fetch(peer.url).text == "hello", "\(pieces.map(\.count))")
    }
    await client.transport.shutdown()
  }

  @Test func `a reset is a lost connection`() async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), ending: .reset)
    defer { peer.stop() }
    let client = trustingClient()
    for pieces in WirePeer.Pieces.allCases.flatMap({ $0.cuts(of: Array((Self.head + "hello").utf8)) }) {
      peer.play(pieces)
      #expect(await client.failure(peer.url)?.kind == .connectionLost, "\(pieces.map(\.count))")
    }
    await client.transport.shutdown()
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 200 OK\r\nX-A",
  ])
  func `a body with another end is incomplete without it`(answer: String) async throws {
    let peer = try WirePeer(WirePeer.Line(isSecured: true), answer: Array(answer.utf8), ending: .cut)
    defer { peer.stop() }
    let client = trustingClient()
    let error = await client.failure(peer.url)
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("tolerating") == false)
    await client.transport.shutdown()
  }

  @Test func `without the tolerance the error names it`() async throws {
    let peer = try WirePeer(
      WirePeer.Line(isSecured: true), answer: Array((Self.head + "hello").utf8), ending: .cut)
    defer { peer.stop() }
    let client = trustingClient([])
    let error = await client.failure(peer.url)
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("'.tolerating([.missingCloseNotify], of: host)'") == true, "\(error as Any)")
    await client.transport.shutdown()
  }

  @Test(arguments: [TLSVersion.tls1_2, .tls1_3])
  func `a connection that is cut at any byte ends the body only after a whole record`(version: TLSVersion) async throws
  {
    let peer = try CutPeer(version, answer: Self.head + "hello")
    defer { peer.stop() }
    var milestones = peer.milestones.makeAsyncIterator()
    let client = trustingClient()
    var accepted: [CutPeer.Milestone] = []
    for count in 0... {
      peer.cut(after: count, isAfterHandshake: true)
      let response = try? await client.fetch(peer.url)
      let milestone = try #require(await milestones.next(isolation: #isolation))
      if let response {
        #expect(response.text == "hello")
        accepted.append(milestone)
      }
      if milestone == .close { break }
    }
    // After the last byte of the response and before the first one of close_notify, and after the last one of that.
    #expect(accepted == [.response, .close])
    await client.transport.shutdown()
  }
}
