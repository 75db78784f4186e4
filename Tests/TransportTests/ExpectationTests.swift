import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ExpectationTests {
  enum Kind: CaseIterable { case bytes, stream }

  private func body(_ kind: Kind) -> RequestBody {
    kind == .bytes ? .text("hello") : .stream { Pieces([Array("hello".utf8)]) }
  }

  @Test(arguments: Kind.allCases)
  func `the body is sent after the server's 100`(_ kind: Kind) async throws {
    let server = try ScriptedServer { .respond(body: .text($0.bodyText)) }
    let client = Client()
    let log = EventLog()
    let response = try await client.fetch(server.url, method: .post, body: body(kind), log: log) {
      $0.options.expectsContinue = true
    }
    #expect(response.text == "hello")
    #expect(server.requests[0].expectsContinue)
    #expect(log.informational.map(\.status.code) == [100])
    await client.transport.shutdown()
  }

  @Test(arguments: [200, 302, 401, 417, 500], Kind.allCases)
  func `a final answer keeps the body unsent and the connection from being used again`(
    _ status: Int, _ kind: Kind
  ) async throws {
    let server = try ScriptedServer(readsBody: false, answersContinue: false) { request in
      request.method == .get
        ? .respond(body: .text("next"))
        : ScriptedReply(ScriptedReply.respond(status: status, body: .text("final")).steps, connection: .keep)
    }
    let client = Client()
    let response = try await client.fetch(server.url, method: .post, body: body(kind)) {
      $0.options.expectsContinue = true
    }
    #expect(response.status == status)
    // libcurl discards the content of a 417 response in order to repeat the request without the expectation.
    #expect(response.text == (status == 417 && !TestTransport.isNative ? "" : "final"))
    #expect(try await client.fetch(server.url).text == "next")
    #expect(server.requests.count == 2)
    #expect(server.problems.isEmpty)
    await client.transport.shutdown()
  }

  @Test func `a final answer that is cut short is an error`() async throws {
    let server = try ScriptedServer(readsBody: false, answersContinue: false) { _ in
      .truncated(afterBytes: 4, of: .filler(9))
    }
    let client = Client()
    let error = await client.failure(server.url, method: .post, body: body(.bytes)) {
      $0.options.expectsContinue = true
    }
    #expect(error?.kind == .connectionLost)
    await client.transport.shutdown()
  }

  @Test func `an Expect field of the request's own means the same`() async throws {
    let server = try ScriptedServer { .respond(body: .text($0.bodyText)) }
    let client = Client()
    let log = EventLog()
    let response = try await client.fetch(
      server.url, method: .post, headers: [.expect: "100-continue"], body: body(.stream), log: log)
    #expect(response.text == "hello")
    #expect(server.requests[0].fields.values(of: "Expect") == ["100-continue"])
    #expect(log.informational.map(\.status.code) == [100])
    await client.transport.shutdown()
  }
}
