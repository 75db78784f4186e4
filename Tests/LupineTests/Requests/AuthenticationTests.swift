import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct AuthenticationTests {
  @Test func `the right password answers the challenge`() async throws {
    let heads = HeadLog()
    let session = try Peer.httpbin.session { $0.monitor(heads) }
    let answer = try await session.request("basic-auth/mattt/secret").authenticate(
      username: "mattt", password: "secret"
    )
    .validate().serializingJSON().value
    #expect(answer == ["authenticated": true, "user": "mattt"])
    #expect(heads.all == [401, 200])
  }

  @Test func `a wrong password is sent once and ends with the 401`() async throws {
    let heads = HeadLog()
    let session = try Peer.httpbin.session { $0.monitor(heads) }
    let response = await session.request("basic-auth/mattt/secret").authenticate(username: "mattt", password: "wrong")
      .validate().serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(401))
    #expect(heads.all == [401, 401])
  }

  @Test func `without a credential the 401 is the response`() async throws {
    let response = await (try Peer.httpbin.session()).request("basic-auth/mattt/secret").serializingData().response
    #expect(response.response?.status == .unauthorized)
  }

  @Test func `a password is sent if the request has it`() async throws {
    let heads = HeadLog()
    let answer = try await Peer.httpbin.session { $0.monitor(heads) }
      .request(
        "hidden-basic-auth/mattt/secret",
        headers: RequestHeaders([.authorization(username: "mattt", password: "secret")])
      )
      .validate().serializingJSON().value
    #expect(answer["authenticated"] == true)
    #expect(heads.all == [200])
  }

  @Test func `an adapter's token reaches the base URL`() async throws {
    let session = try Peer.httpbin.session { $0.adapter(BearerToken("a-token")) }
    #expect(try await session.request("bearer").validate().serializingJSON().value["token"] == "a-token")
  }

  @Test func `an adapter's token does not reach another origin`() async throws {
    let other = try Peer.httpbin.url.replacing("127.0.0.1", with: "localhost")
    let session = try Peer.httpbin.session { $0.adapter(BearerToken("a-token")) }
    let headers = try await session.request(other + "/headers").validate().serializingJSON().value["headers"]
    #expect(headers?["Host"] != nil)
    #expect(headers?["Authorization"] == nil)
  }
}
