import Foundation
import Lupine
import LupineFixtures
import Testing
import TransportSupport
import TrustSupport

/// Bodies whose framing does not prove that they are complete: an error, and no file at the destination.
@Suite(.timeLimit(.minutes(2)), .overEachTransport) struct TruncationTests {
  /// The bytes that a peer sends, and the connection over which it sends them.
  struct Script: Sendable, CustomTestStringConvertible {
    var name: String
    var line = WirePeer.Line()
    var greeting: [UInt8] = []
    var answer: [UInt8]
    var ending = WirePeer.Ending.cut

    var testDescription: String { name }
  }

  static let overTLS: [Script] = [
    Script(
      name: "no length", line: WirePeer.Line(isSecured: true),
      answer: Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello".utf8)),
    Script(
      name: "a length", line: WirePeer.Line(isSecured: true),
      answer: Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello".utf8)),
    Script(
      name: "chunks", line: WirePeer.Line(isSecured: true),
      answer: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n".utf8)),
  ]

  static let overHTTP2: [Script] = HTTP2Script.breaks.sorted { $0.key < $1.key }.flatMap { name, bytes in
    [false, true].map { isSecured in
      Script(
        name: name + (isSecured ? ", TLS" : ""), line: WirePeer.Line(isSecured: isSecured, isMultiplexed: true),
        greeting: HTTP2Script.greeting, answer: HTTP2Script.head() + HTTP2Script.data("hello") + bytes)
    }
  }

  private func session(_ script: Script) throws -> Session {
    try networkSession {
      let builder = $0.certificateAuthorities(Fixture.path("Certificates/root.pem"))
      return script.line.isMultiplexed ? builder.httpVersion(.http2) : builder
    }
  }

  /// The errors of a body that is cut off: over HTTP/2 a transport may report the violation that breaks the connection.
  private func kinds(_ script: Script) -> [LupineError.Kind?] {
    script.line.isMultiplexed ? [.connectionLost, .malformedResponse] : [.connectionLost]
  }

  private func peer(_ script: Script) throws -> WirePeer {
    try WirePeer(script.line, greeting: script.greeting, answer: script.answer, ending: script.ending)
  }

  @Test(arguments: overTLS + overHTTP2)
  func `a body that is cut off is an error that keeps the head`(script: Script) async throws {
    let peer = try peer(script)
    defer { peer.stop() }
    let session = try session(script)
    let response = await session.request(peer.url).serializingData().response
    #expect(kinds(script).contains(response.error?.kind))
    #expect(response.response?.status == .ok)
    #expect(response.metrics.bytesReceived == 5)
    await session.shutdown()
  }

  @Test(arguments: overTLS + overHTTP2)
  func `a stream hands over the bytes that arrived, and fails`(script: Script) async throws {
    let peer = try peer(script)
    defer { peer.stop() }
    let session = try session(script)
    var bytes: [UInt8] = []
    let error = await #expect(throws: LupineError.self) {
      for try await piece in session.streamRequest(peer.url).serializingBytes() { bytes += piece }
    }
    #expect(bytes == Array("hello".utf8))
    #expect(kinds(script).contains(error?.kind))
    await session.shutdown()
  }

  @Test(arguments: overTLS + overHTTP2)
  func `a download that is cut off leaves no file in place`(script: Script) async throws {
    let folder = NSTemporaryDirectory() + "lupine-truncation-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let peer = try peer(script)
    defer { peer.stop() }
    let session = try session(script)
    let response = await session.download(peer.url, to: .file(folder + "/file")).serializingFile().response
    #expect(kinds(script).contains(response.error?.kind))
    #expect(response.response?.status == .ok)
    #expect(!FileManager.default.fileExists(atPath: folder + "/file"))
    await session.shutdown()
  }

  @Test(arguments: ["ETag: \"a\"\r\n", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", ""])
  func `a download that could be resumed never ends without close_notify`(field: String) async throws {
    let folder = try TemporaryFolder()
    let peer = try WirePeer(
      WirePeer.Line(isSecured: true), answer: Array("HTTP/1.1 200 OK\r\n\(field)\r\nhello".utf8), ending: .cut)
    defer { peer.stop() }
    let session = try networkSession {
      $0.certificateAuthorities(Fixture.path("Certificates/root.pem"))
        .tolerating(.missingCloseNotify, of: "localhost")
    }
    #expect(try await session.request(peer.url).serializingString().value == "hello")
    let response = await session.download(peer.url, to: .file(folder.file("file"))).serializingFile().response
    #expect(response.error?.kind == (field.isEmpty ? nil : .connectionLost))
    #expect(FileManager.default.fileExists(atPath: folder.file("file")) == field.isEmpty)
    await session.shutdown()
  }

  @Test func `a tolerance is of one host alone`() async throws {
    let peer = try WirePeer(
      WirePeer.Line(isSecured: true), answer: Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8), ending: .cut)
    defer { peer.stop() }
    let session = try networkSession {
      $0.certificateAuthorities(Fixture.path("Certificates/root.pem"))
        .tolerating(.missingCloseNotify, of: "localhost:1").tolerating(.missingCloseNotify, of: "127.0.0.1")
    }
    let error = await session.request(peer.url).serializingString().response.error
    #expect(error?.kind == .connectionLost)
    await session.shutdown()
  }

  @Test(arguments: [TLSVersion.tls1_2, .tls1_3], [WirePeer.Ending.close, .cut])
  func `close_notify ends a body with each version of TLS, and FIN alone does not`(
    version: TLSVersion, ending: WirePeer.Ending
  ) async throws {
    let peer = try WirePeer(
      WirePeer.Line(isSecured: true), answer: Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8), ending: ending)
    defer { peer.stop() }
    let session = try networkSession {
      $0.transport(TestTransport.make()).certificateAuthorities(Fixture.path("Certificates/root.pem"))
        .tlsVersions(maximum: version)
    }
    let response = await session.request(peer.url).serializingString().response
    #expect(response.value == (ending == .close ? "hello" : nil))
    #expect(response.error?.kind == (ending == .close ? nil : .connectionLost))
    #expect(response.metrics.tls?.version == (version == .tls1_2 ? "TLSv1.2" : "TLSv1.3"))
    await session.shutdown()
  }
}
