import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ExchangeTests {
  @Test func `a GET brings back head, body and metrics`() async throws {
    let server = try ScriptedServer(always: [
      .head(status: 200, reason: "All right", fields: ["Content-Length": "5"]), .body(Array("hello".utf8)),
    ])
    let client = Client()
    let response = try await client.fetch(server.url + "/a/%2e/b?x=1&y=%20")
    #expect(response.status == 200)
    #expect(response.head.status.reasonPhrase == "All right")
    #expect(response.head.headerFields[values: .contentLength] == ["5"])
    #expect(response.text == "hello")
    #expect(response.end.metrics.remoteAddress == "127.0.0.1:\(server.port)")
    #expect(response.end.metrics.version == .http1_1)
    #expect(response.end.metrics.bytesReceived == 5)
    #expect(response.end.metrics.connect != nil)
    #expect(!response.end.metrics.isConnectionReused)
    #expect(server.requests.first?.target == (try HTTPURL(server.url + "/a/%2e/b?x=1&y=%20").requestTarget))
    await client.transport.shutdown()
  }

  @Test func `a request has no field that the program did not set`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    _ = try await client.fetch(server.url)
    _ = try await client.fetch(server.url, method: .post, body: .text("body"))
    #expect(server.requests[0].fields.map(\.name) == ["Host"])
    #expect(server.requests[1].fields.map(\.name) == ["Host", "Content-Length"])
    await client.transport.shutdown()
  }

  @Test func `fields keep their order, their case and their repetitions`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    var headers = HTTPFields()
    for (name, value) in [("X-B", "1"), ("x-a", "2"), ("X-B", "3"), ("Accept", "text/plain"), ("X-Empty", "")] {
      headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    _ = try await client.fetch(server.url, headers: headers)
    let sent = server.requests[0].fields.dropFirst().map(\.description)
    #expect(sent == ["X-B: 1", "x-a: 2", "X-B: 3", "Accept: text/plain", "X-Empty: "])
    await client.transport.shutdown()
  }

  @Test func `a handle that served other fields, methods and bodies sends none of them again`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let client = Client()
    _ = try await client.fetch(server.url + "/1", method: .put, headers: [.accept: "a"], body: .text("first"))
    _ = try await client.fetch(server.url + "/2", method: .head)
    let third = try await client.fetch(server.url + "/3")
    _ = try await client.fetch(server.url + "/4?q", method: .post)
    #expect(third.text == "ok")
    #expect(server.requests.map(\.method) == [.put, .head, .get, .post])
    #expect(server.requests.map(\.bodyText) == ["first", "", "", ""])
    #expect(server.requests.map(\.target) == ["/1", "/2", "/3", "/4?q"])
    #expect(server.requests[3].fields.map(\.description).last == "Content-Length: 0")
    #expect(server.requests[2].fields.map(\.name) == ["Host"])
    #expect(server.connectionCount == 1)
    await client.transport.shutdown()
  }

  @Test func `a handle that served another host names the one that is asked, once`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let own = HTTPField(name: try #require(HTTPField.Name("Host")), value: "other.example")
    let local = "http://localhost:\(server.port)"
    let asked: [(String, HTTPFields)] = [
      (server.url, [:]), (local, [:]), (server.url, [own.name: own.value]), (server.url, [:]),
    ]
    for (url, headers) in asked {
      _ = try await client.fetch(url, headers: headers)
    }
    let port = server.port
    let expected = [["127.0.0.1:\(port)"], ["localhost:\(port)"], ["other.example"], ["127.0.0.1:\(port)"]]
    #expect(server.requests.map { $0.fields.values(of: "Host") } == expected)
    await client.transport.shutdown()
  }

  @Test(arguments: ["GET", "DELETE", "OPTIONS", "PROPFIND", "QUERY"])
  func `any method is sent unchanged`(_ name: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let client = Client()
    let method = try #require(HTTPRequest.Method(name))
    #expect(try await client.fetch(server.url, method: method).text == "ok")
    let withBody = try await client.fetch(server.url, method: method, body: .text("body")) {
      $0.options.allowsBodyWithGET = true
    }
    #expect(withBody.text == "ok")
    #expect(server.requests.map(\.method) == [method, method])
    #expect(server.requests.map(\.bodyText) == ["", "body"])
    // Only a method that gives content a meaning states an empty one (RFC 9110 section 8.6).
    #expect(server.requests[0].fields["Content-Length"] == (method == .query ? "0" : nil))
    await client.transport.shutdown()
  }
}
