import Lupine
import LupineTesting
import Testing
import TransportSupport

/// Responses in the formats of the Docker Engine's API, over a Unix-domain socket.
@Suite(.overEachTransport) struct DockerTests {
  private static func answer(_ request: ReceivedHTTPRequest) -> ScriptedReply {
    let json: RawFields = ["Content-Type": "application/json", "Api-Version": "1.43"]
    switch (request.method.rawValue, request.path) {
    case ("GET", "/_ping"): return .respond(fields: ["Api-Version": "1.43"], body: .text("OK"))
    case ("POST", "/v1.43/containers/create"):
      return .respond(status: 201, fields: json, body: .text(#"{"Id":"4f66ad9a0b2e","Warnings":[]}"#))
    case ("POST", "/v1.43/containers/4f66ad9a0b2e/start"): return .respond(status: 204)
    case ("GET", "/v1.43/containers/4f66ad9a0b2e/logs"):
      // Two frames, each with a stream number, three zeros, a length, and that number of bytes.
      return .chunked([[1, 0, 0, 0, 0, 0, 0, 3] + Array("out".utf8), [2, 0, 0, 0, 0, 0, 0, 3] + Array("err".utf8)])
    case ("GET", "/v1.43/events"):
      return [
        .head(status: 200, fields: ["Content-Type": "application/json", "Transfer-Encoding": "chunked"]),
        .chunk(Array("{\"Action\":\"start\"}\n".utf8)), .chunk(Array("{\"Action\":\"die\"}\n".utf8)), .stall,
      ]
    default: return .respond(status: 404, fields: json, body: .text(#"{"message":"No such container: x"}"#))
    }
  }

  private struct Made: Decodable, Sendable {
    let id: String
    enum CodingKeys: String, CodingKey { case id = "Id" }
  }

  private struct Event: Decodable, Sendable {
    let action: String
    enum CodingKeys: String, CodingKey { case action = "Action" }
  }

  private struct Refusal: Decodable, Sendable { let message: String }

  private let path = "/tmp/lupine-docker-\(UInt64.random(in: 0 ... .max)).sock"

  private func session() throws -> (ScriptedServer, Session) {
    let server = try ScriptedServer(.unix(path: path), handler: Self.answer)
    let session = try Session.Builder().transport(.curl).standardDefaults()
      .baseURL("http://docker/v1.43/").unixSocket(path).build()
    return (server, session)
  }

  @Test func `a container is made, started, and its streams are read`() async throws {
    let (server, session) = try session()
    defer { server.stop() }
    #expect(try await session.request("http://docker/_ping").validate().serializingString().value == "OK")
    let made = try await session.request(
      "containers/create", method: .post, parameters: ["Image": "alpine"], encoder: .json
    )
    .validate().serializingDecodable(Made.self).value
    let start = await session.request("containers/\(made.id)/start", method: .post).validate().serializingData()
      .response
    #expect(start.response?.status == .noContent && start.error == nil)
    let logs = try await session.request("containers/\(made.id)/logs", parameters: ["stdout": true, "stderr": true])
      .serializingData().value
    #expect(logs.count == 22 && Array(logs.suffix(3)) == Array("err".utf8))
    let filters = #"{"status":["running"]}"#
    let refused = await session.request("containers/x/json", parameters: ["filters": filters])
      .serializingDecodable(Refusal.self).response
    #expect(refused.value?.message == "No such container: x")
    #expect(server.requests.last?.target == "/v1.43/containers/x/json?filters=%7B%22status%22%3A%5B%22running%22%5D%7D")
    #expect(server.requests.allSatisfy { $0.fields["Host"] == "docker" })
    #expect(server.connectionCount == 1)
  }

  @Test func `events are read as they come, and the stream is left when that is enough`() async throws {
    let (server, session) = try session()
    defer { server.stop() }
    var actions: [String] = []
    let request = session.streamRequest("events")
    for try await event in request.serializingDecodableLines(of: Event.self) {
      actions.append(event.action)
      if actions.count == 2 { break }
    }
    request.cancel()
    #expect(actions == ["start", "die"])
    try await server.waitForOpenConnections(0)
  }
}
