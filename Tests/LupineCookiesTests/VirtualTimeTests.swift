import HTTPTypes
import LupineCookies
import LupineCore
import LupineSession
import LupineMock
import Testing

@Suite struct VirtualTimeTests {
  @Test func `a cookie expires in virtual time`() async throws {
    let sent = try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, "/start", .text("in").field(.setCookie, "sid=1; Path=/; Max-Age=60"))
      mock.stub(.get, "/", .text("here"))
      let session = try Session.Builder().transport(mock).install(.cookies).build()
      _ = await session.request("https://a.example.com/start").serializingData().response
      for pause in [59, 2] {
        try await world.sleep(for: .seconds(pause))
        _ = await session.request("https://a.example.com/").serializingData().response
      }
      return mock.requests.map { $0.headers[.cookie] }
    }
    #expect(sent == [nil, "sid=1", nil])
  }
}
