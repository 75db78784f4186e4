import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct ContentCodingTests {
  @Test(arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
  func `a coded body is decoded`(_ path: String, _ mark: String) async throws {
    let response = await (try Peer.httpbin.session()).request(path).validate().serializingJSON().response
    #expect(response.value?[mark] == true)
    // The session does not change the fields of the response.
    #expect(response.response?.headerFields[.contentEncoding] == (path == "brotli" ? "br" : path))
  }

  @Test func `a body that nginx codes is decoded, and was smaller on the wire`() async throws {
    let response = await (try Peer.nginx.session()).request("gzip/text.txt").validate().serializingString().response
    let text = try response.result.get()
    #expect(text.split(separator: "\n").count == 5000)
    #expect(text.hasSuffix("Line 4999 of a text that shrinks.\n"))
    let received = response.metrics.bytesReceived
    #expect(received > 0 && received < text.utf8.count / 4)
  }

  @Test func `a request that asks for no coding gets none`() async throws {
    let request = try Peer.nginx.session().request("gzip/text.txt", headers: [.acceptEncoding: "identity"])
    let response = await request.validate().serializingData().response
    #expect(response.response?.headerFields[.contentEncoding] == nil)
    #expect(response.metrics.bytesReceived == Int64(response.value?.count ?? 0))
  }

  @Test func `a range of a body that nginx would code is one of its text`() async throws {
    let session = try Peer.nginx.session()
    let response = await session.request("gzip/text.txt", headers: [.range: "bytes=5-9"]).serializingString().response
    #expect(response.response?.status == .partialContent)
    #expect(response.value == "0 of ")
    let ranges = session.streamRequest("gzip/text.txt", headers: [.range: "bytes=0-4,5-9"])
    var parts: [String] = []
    for try await part in ranges.serializingMultipart() {
      var text = ""
      for try await bytes in part.body { text += String(decoding: bytes, as: UTF8.self) }
      parts.append(text)
    }
    #expect(parts == ["Line ", "0 of "])
  }
}
