import Lupine
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ExpectationTests {
  @Test(arguments: [200, 401, 503])
  func `a final answer instead of 100 keeps the body unsent and the connection unused`(status: Int) async throws {
    let server = try ScriptedServer(readsBody: false, answersContinue: false) { request in
      request.method == .get
        ? .respond(body: .text("next"))
        : ScriptedReply(ScriptedReply.respond(status: status).steps, connection: .keep)
    }
    defer { server.stop() }
    let session = try networkSession()
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    let response = await session.upload(.text(smuggled), to: server.url, expectsContinue: true).serializingData()
      .response
    #expect(response.response?.status.code == status)
    #expect(try await session.request(server.url + "/next").serializingString().value == "next")
    #expect(server.requests.map(\.path) == ["/", "/next"])
    #expect(server.connectionCount == 2)
    #expect(server.problems.isEmpty)
  }

  @Test func `a body that the server asks for is sent`() async throws {
    let server = try ScriptedServer { .respond(body: .text($0.bodyText)) }
    defer { server.stop() }
    let upload = try networkSession().upload(.text("hello"), to: server.url, expectsContinue: true)
    #expect(try await upload.serializingString().value == "hello")
    #expect(server.requests.first?.expectsContinue == true)
  }
}
