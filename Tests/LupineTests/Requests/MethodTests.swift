import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct MethodTests {
  @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete])
  func `the server sees the method`(_ method: HTTPRequest.Method) async throws {
    let session = try Peer.httpbin.session()
    let echo = try await session.request("anything", method: method).validate().serializingJSON().value
    #expect(echo["method"]?.string == method.rawValue)
  }

  @Test func `HEAD brings the fields and no body`() async throws {
    let response = await (try Peer.httpbin.session()).request("get", method: .head).serializingData().response
    #expect(response.value?.isEmpty == true)
    #expect(response.response?.headerFields[.contentType] == "application/json")
  }

  @Test func `OPTIONS returns the allowed methods`() async throws {
    let response = await (try Peer.httpbin.session()).request("get", method: .options).serializingData().response
    let allowed = response.response?.headerFields[.allow]?.split(separator: ", ").sorted()
    #expect(allowed == ["GET", "HEAD", "OPTIONS"])
  }

  @Test func `a file is put, read back and deleted`() async throws {
    let session = try Peer.nginx.session()
    let url = try Peer.nginx.url + "/uploads/method-tests.txt"
    let put = try OutgoingRequest(url, method: .put, body: .text("a file"))
    #expect(await session.request(put).serializingData().response.response?.status == .created)
    #expect(try await session.request(url).validate().serializingString().value == "a file")
    #expect(await session.request(url, method: .delete).serializingData().response.response?.status == .noContent)
    #expect(await session.request(url).serializingData().response.response?.status == .notFound)
  }
}
