import LupineCore
import LupineOpenSSL
import LupineSession
import Testing
import TransportSupport
import TrustSupport

/// Sessions that ask for HTTP/2, with a server that does not select it (RFC 7301).
@Suite(.overEachTransport) struct HandshakeVersionTests {
  @Test(arguments: [[], ["-alpn", "http/1.1"]])
  func `a server with TLS that does not select HTTP 2 receives HTTP 1`(options: [String]) async throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let server = try TLSServer("valid", chain: "intermediate", answer: answer, options: options)
    let session = try Online().session(nil) { $0.httpVersion(.http2) }
    let response = await session.request(server.url() + "answer").serializingString().response
    #expect(response.error == nil)
    #expect(response.value == "ok")
    #expect(response.metrics.version == .http1_1)
    await session.shutdown()
  }
}
