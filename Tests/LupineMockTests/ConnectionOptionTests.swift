import HTTPTypes
import LupineCore
import LupineMock
import LupineResilience
import Testing

@Suite struct ConnectionOptionTests {
  @Test(arguments: [HTTPResponse.Status.found, .unauthorized, .badGateway], [false, true])
  func `what a proxy says is neither followed nor answered as the server's`(
    status: HTTPResponse.Status, isHedged: Bool
  ) async throws {
    let mock = MockTransport()
    mock.stub(
      .get, "https://a.example.com/",
      .refusedByProxy(status).field(.location, "/next").field(.wwwAuthenticate, "Basic realm=x"))
    let builder = Session.Builder().transport(mock).clock(TestClock()).proxy("http://p:1")
    var hedging = Hedging()
    hedging.badStatusCodes = []
    let session = try (isHedged ? builder.install(hedging) : builder).build()
    let response = await session.request("https://a.example.com/").authenticate(username: "ali", password: "x")
      .serializingData().response
    #expect(response.response?.status == status)
    #expect(mock.requests.count == 1)
  }

  @Test func `the way that a request would have taken is recorded`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("x"))
    let session = try Session.Builder().transport(mock).clock(ImmediateClock()).unixSocket("/var/run/docker.sock")
      .build()
    var request = try OutgoingRequest("http://docker/info")
    request.options.priority = .high
    _ = await session.request(request).serializingData().response
    #expect(mock.requests.map(\.unixSocket) == ["/var/run/docker.sock"])
    #expect(mock.requests.map(\.priority) == [.high])
    #expect(await session.connectionPool() == nil)
  }
}
