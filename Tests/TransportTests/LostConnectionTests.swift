import HTTPTypes
import LupineCore
import LupineFixtures
import LupineSession
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Requests on kept connections that are dead, and on connections that a server ends after a few requests.
@Suite(.overEachTransport, .timeLimit(.minutes(2))) struct LostConnectionTests {
  private static let count = 12

  /// A server that answers the first request of each connection, and ends the connection at its next request.
  ///
  /// The answer to `/first` waits for `ready`.
  private func server(_ ready: Gate) throws -> ScriptedServer {
    try ScriptedServer { request in
      if request.index > 0 { return .closeBeforeHead }
      let reply = ScriptedReply.respond(body: .text("ok"))
      return request.target == "/first" ? ScriptedReply([.wait(ready)] + reply.steps, connection: .keep) : reply
    }
  }

  @Test func `a GET is answered although every kept connection is dead`() async throws {
    let ready = Gate()
    let server = try server(ready)
    let client = Client()
    let session = try Session.Builder().transport(client.transport).build()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 1...Self.count { group.addTask { try await client.fetch(server.url + "/first").text } }
      _ = try await server.waitForRequest(count: Self.count)
      ready.open()
      for try await text in group { #expect(text == "ok") }
    }
    #expect(server.connectionCount == Self.count)
    let response = await session.request(server.url + "/next").serializingString().response
    #expect(response.value == "ok")
    // The request itself, and one resend on a new connection.
    #expect(server.requests.count == Self.count + 2)
    #expect(server.connectionCount == Self.count + 1)
    // The connections that were idle as long as the lost one are closed.
    try await server.waitForOpenConnections(1)
    await client.transport.shutdown()
  }

  @Test func `an exchange that needs a new connection uses no idle one, and keeps the new one open`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let client = Client()
    _ = try await client.fetch(server.url)
    var context = client.context()
    context.needsNewConnection = true
    let response = try await client.transport.send(OutgoingRequest(url: HTTPURL(server.url)), in: context)
    _ = try await response.body.end()
    #expect(server.connectionCount == 2)
    #expect(try await client.fetch(server.url).text == "ok")
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test(.enabled(if: Peers.nginxFew != nil || Peers.areRequired), arguments: [HTTPRequest.Method.get, .post])
  func `eighty requests at once are answered by an nginx that ends each connection after five`(
    method: HTTPRequest.Method
  ) async throws {
    let url = try #require(Peers.nginxFew) + "/connection"
    let client = Client.trusting()
    let session = try Session.Builder().transport(client.transport).httpVersion(.http2).build()
    await withTaskGroup(of: (String?, LupineError?).self) { group in
      for _ in 1...80 {
        group.addTask {
          let response = await session.request(url, method: method).serializingString().response
          return (response.value, response.error)
        }
      }
      var answers: [String: Int] = [:]
      for await (text, error) in group {
        #expect(error == nil)
        if let text { answers[text, default: 0] += 1 }
      }
      // Each answer has the number of the connection, and of the request on it: none was processed twice.
      #expect(answers.count == 80)
    }
    await client.transport.shutdown()
  }
}
