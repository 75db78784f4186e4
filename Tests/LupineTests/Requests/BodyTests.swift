import FoundationEssentials
import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct BodyTests {
  @Test func `bytes arrive as they are`() async throws {
    let bytes = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0) })
    let echo = try await echo(.bytes(bytes))
    let base64 = echo["data"]?.string?.split(separator: ",").last.map(String.init) ?? ""
    #expect(Data(base64Encoded: base64) == bytes)
    #expect(echo["headers"]?["Content-Length"] == "4096")
  }

  @Test func `a file is sent`() async throws {
    let path = #filePath
    let echo = try await echo(.file(path))
    #expect(echo["data"]?.string == String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self))
  }

  @Test func `a file that is missing is an error`() async throws {
    let request = try OutgoingRequest(try Peer.httpbin.url + "/anything", method: .post, body: .file("/no/such/file"))
    #expect(await (try Peer.httpbin.session()).request(request).serializingData().response.error?.kind == .bodyFailed)
  }

  @Test(arguments: [nil, 8 << 20] as [Int64?])
  func `a stream of 8 MiB arrives whole`(_ length: Int64?) async throws {
    let body = RequestBody.stream(length: length) {
      AsyncStream<[UInt8]> { continuation in
        for _ in 0..<128 { continuation.yield([UInt8](repeating: 7, count: 64 << 10)) }
        continuation.finish()
      }
    }
    let request = try OutgoingRequest(try Peer.nginx.url + "/echo-size", method: .post, body: body)
    let response = await (try Peer.nginx.session()).request(request).serializingString().response
    #expect(response.value == "\(8 << 20)\n")
    #expect(response.metrics.bytesSent == 8 << 20)
  }

  private func echo(_ body: RequestBody) async throws -> JSONValue {
    let request = try OutgoingRequest(try Peer.httpbin.url + "/anything", method: .post, body: body)
    return try await Peer.httpbin.session().request(request).validate().serializingJSON().value
  }
}
