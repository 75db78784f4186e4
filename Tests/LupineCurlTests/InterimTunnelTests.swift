import LupineCore
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

@testable import LupineCurl

/// Interim responses to CONNECT, after which libcurl 7.88 itself opens no tunnel.
@Suite(.timeLimit(.minutes(1))) struct InterimTunnelTests {
  /// A proxy that answers CONNECT with some bytes, and then is the server behind the tunnel.
  private func proxy(_ pieces: [[UInt8]]) throws -> LoopbackListener {
    let listener = try LoopbackListener()
    listener.start { descriptor in
      let clear = ClearConnection(descriptor)
      guard Self.readHead(clear) else { return }
      for piece in pieces { guard clear.write(piece) else { return } }
      guard let tls = TLSConnection(descriptor, isMultiplexed: false), Self.readHead(tls) else { return }
      _ = tls.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
      tls.end()
    }
    return listener
  }

  private static func readHead(_ wire: some WireConnection) -> Bool {
    var end: [UInt8] = []
    while end != Array("\r\n\r\n".utf8) {
      guard let byte = wire.read(1) else { return false }
      end = end.suffix(3) + byte
    }
    return true
  }

  @Test(
    .enabled(if: LibcurlInfo.keepsLastField),
    arguments: [
      "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102\r\n\r\nHTTP/1.1 200\r\nVia: x\r\n\r\n",
      "HTTP/1.0 100 Continue\r\n\r\nHTTP/1.0 204 No\r\n\r\n",
    ], [true, false])
  func `a tunnel is opened after interim responses`(text: String, inOnePiece: Bool) async throws {
    let bytes = Array(text.utf8)
    let proxy = try proxy(inOnePiece ? [bytes] : bytes.map { [$0] })
    defer { proxy.stop() }
    var client = Client.trusting(isNative: false)
    client.connectionKey.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
    #expect(try await client.fetch("https://localhost/").text == "ok")
    await client.transport.shutdown()
  }

  @Test(.enabled(if: LibcurlInfo.keepsLastField), arguments: [403, 407, 502])
  func `a refusal after an interim response is the response`(status: Int) async throws {
    let proxy = try ScriptedServer { _ in
      .verbatim("HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 \(status) No\r\nX-A: b\r\nContent-Length: 0\r\n\r\n")
    }
    defer { proxy.stop() }
    var client = Client.trusting(isNative: false)
    client.connectionKey.proxy = try Proxy(proxy.url)
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL("https://origin.example/")), in: client.context())
    #expect(response.head.status.code == status && response.source == .proxy)
    #expect(response.head.headerFields.contains { $0.name.canonicalName == "x-a" && $0.value == "b" })
    await client.transport.shutdown()
  }
}
