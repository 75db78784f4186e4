import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct LimitTests {
  @Test(arguments: [
    (ScriptedReply.oversizedField(bytes: 90_000), Limits.Name.responseFields), (.endlessFields, .responseFields),
    (.endlessInformational, .informationalResponses), (.endlessTrailers, .trailers),
  ])
  func `endless responses exceed a limit`(_ reply: ScriptedReply, _ name: Limits.Name) async throws {
    let server = try ScriptedServer(always: reply)
    var client = Client()
    client.limits.responseFields = 64 << 10
    client.limits.responseFieldCount = .max
    #expect(await client.failure(server.url)?.kind == .limitExceeded(name))
    try await server.waitForOpenConnections(0)
    await client.transport.shutdown()
  }

  @Test func `too many small fields exceed a limit`() async throws {
    let server = try ScriptedServer(always: .endlessFields)
    let client = Client()
    #expect(await client.failure(server.url)?.kind == .limitExceeded(.responseFieldCount))
    await client.transport.shutdown()
  }

  @Test func `a field as large as the limit allows arrives`() async throws {
    let server = try ScriptedServer(always: .oversizedField(bytes: 80_000))
    let client = Client()
    let name = try #require(HTTPField.Name("X-Oversized"))
    #expect(try await client.fetch(server.url).head.headerFields[name]?.utf8.count == 80_000)
    await client.transport.shutdown()
  }

  @Test func `too many fields in a request are refused before anything is sent`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let headers: HTTPFields = [.accept: String(repeating: "a", count: 61 << 10)]
    #expect(await client.failure(server.url, headers: headers)?.kind == .limitExceeded(.requestFields))
    #expect(server.connectionCount == 0)
    await client.transport.shutdown()
  }
}
