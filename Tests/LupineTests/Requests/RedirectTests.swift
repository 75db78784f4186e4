import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct RedirectTests {
  @Test(arguments: ["relative-redirect/3", "absolute-redirect/3", "redirect/3"])
  func `redirects are followed`(_ path: String) async throws {
    let heads = HeadLog()
    let response = await (try Peer.httpbin.session { $0.monitor(heads) }).request(path).validate().serializingData()
      .response
    #expect(response.request?.url.string == (try Peer.httpbin.url) + "/get")
    #expect(heads.all == [302, 302, 302, 200])
  }

  @Test func `as many redirects as the limit are followed`() async throws {
    let request = try Peer.httpbin.session().request("relative-redirect/10").validate()
    #expect(await request.serializingData().response.error == nil)
  }

  @Test func `one redirect more than the limit is an error that names it`() async throws {
    let error = await (try Peer.httpbin.session()).request("relative-redirect/11").serializingData().response.error
    #expect(error?.kind == .limitExceeded(.redirects))
    #expect(error?.message.contains("redirects") == true)
  }

  @Test(arguments: [301, 302, 303])
  func `a POST becomes a GET without its body`(_ status: Int) async throws {
    let echo = try await redirected(status)
    #expect(echo["method"] == "GET")
    #expect(echo["form"] == [:])
    #expect(echo["headers"]?["Content-Type"] == nil)
  }

  @Test(arguments: [307, 308])
  func `a POST stays one and is sent again with its body`(_ status: Int) async throws {
    let echo = try await redirected(status)
    #expect(echo["method"] == "POST")
    #expect(echo["form"] == ["foo": "bar"])
  }

  @Test func `a password does not cross origins`() async throws {
    let other = try Peer.httpbin.url.replacing("127.0.0.1", with: "localhost")
    let echo = try await Peer.httpbin.session()
      .request(
        "redirect-to", parameters: ["url": "\(other)/anything"],
        headers: RequestHeaders([
          .authorization(bearerToken: "secret"), .accept("application/json"),
        ])
      ).validate().serializingJSON().value
    #expect(echo["headers"]?["Accept"] == "application/json")
    #expect(echo["headers"]?["Authorization"] == nil)
  }

  @Test func `a redirect that is not followed is the response`() async throws {
    let request = try Peer.nginx.session().request("redirect").redirector(.doNotFollow)
    let response = await request.serializingData().response
    #expect(response.response?.status == .found)
    #expect(response.response?.headerFields[.location] == "/hello")
  }

  @Test func `a closure changes the target of a redirect`() async throws {
    let session = try Peer.nginx.session()
    let redirector = Redirector.modify { next, _ in
      var next = next
      next.headers[.range] = "bytes=0-4"
      return next
    }
    #expect(try await session.request("redirect").redirector(redirector).serializingString().value.hasPrefix("Hello"))
  }

  private func redirected(_ status: Int) async throws -> JSONValue {
    try await Peer.httpbin.session()
      .request("redirect-to?url=/anything&status_code=\(status)", method: .post, parameters: ["foo": "bar"])
      .validate().serializingJSON().value
  }
}
