import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineCurl
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ConnectionTests {
  @Test func `a connection is kept and used again`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let client = Client()
    let log = EventLog()
    for _ in 1...5 { _ = try await client.fetch(server.url, log: log) }
    #expect(server.connectionCount == 1)
    #expect(log.reused == [false, true, true, true, true])
    let last = try await client.fetch(server.url)
    #expect(last.end.metrics.isConnectionReused)
    #expect(last.end.metrics.connect == nil)
    await client.transport.shutdown()
  }

  @Test func `a closed port is an error of kind connectionRefused`() async throws {
    let port = try ClosedPort()
    let client = Client()
    let error = await client.failure(port.url)
    #expect(error?.kind == .connectionRefused)
    #expect(TestTransport.isNative || error?.message.contains("libcurl 7") == true)
    #expect(error?.metrics != nil)
    await client.transport.shutdown()
  }

  @Test(arguments: ["server.example.com", "server.example.com."])
  func `a host's own addresses are connected to with a dot at its end as without`(host: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("here")))
    let session = try Session.Builder().transport(.curl).resolve("server.example.com", to: "127.0.0.1").build()
    #expect(try await session.request("http://\(host):\(server.port)/").serializingString().value == "here")
    await session.shutdown()
  }

  @Test func `a name without an address is an error of kind hostNotFound`() async throws {
    let client = Client()
    #expect(await client.failure("http://nowhere.invalid/")?.kind == .hostNotFound)
    await client.transport.shutdown()
  }

  @Test func `the error of a name that is resolved for a SOCKS proxy has the resolver's text`() async throws {
    let closed = try ClosedPort()
    let session = try Session.Builder().transport(.curl).proxy("socks5://127.0.0.1:\(closed.port)").build()
    let error = await session.request("http://nowhere.invalid/").serializingData().response.error
    guard case .failure(let reason) = HostResolver.systemAnswer(for: "nowhere.invalid") else {
      Issue.record("it has an address")
      return
    }
    #expect(error?.kind == .hostNotFound)
    #expect(error?.message.contains(reason) == true)
  }

  @Test func `a connection that does not come about in time is an error`() async throws {
    let port = try SilentPort(completesHandshake: false)
    var client = Client()
    client.connectTimeout = .milliseconds(80)
    #expect(await client.failure(port.url)?.kind == .timedOut(.connect))
    await client.transport.shutdown()
  }

  @Test func `a TLS handshake that never comes counts as connecting`() async throws {
    let port = try SilentPort()
    var client = Client()
    client.connectTimeout = .milliseconds(80)
    #expect(await client.failure("https://127.0.0.1:\(port.port)")?.kind == .timedOut(.connect))
    await client.transport.shutdown()
  }

  @Test(arguments: [
    ScriptedReply.closeBeforeHead, .resetBeforeHead, .truncated(afterBytes: 4, of: .filler(10)), .reset(afterBytes: 0),
    .truncatedChunks([[1, 2], [3]]),
  ])
  func `a connection that ends too early is an error`(_ reply: ScriptedReply) async throws {
    let server = try ScriptedServer(always: reply)
    let client = Client()
    #expect(await client.failure(server.url)?.kind == .connectionLost)
    await client.transport.shutdown()
  }

  @Test(arguments: [HTTPRequest.Method.get, .post], [ScriptedReply.closeBeforeHead, .resetBeforeHead])
  func `a request on a used connection that dies is sent once`(
    _ method: HTTPRequest.Method, _ end: ScriptedReply
  ) async throws {
    let server = try ScriptedServer { $0.number == 0 ? .respond() : end }
    let client = Client()
    _ = try await client.fetch(server.url)
    let body = method == .post ? RequestBody.text("once") : .none
    #expect(await client.failure(server.url, method: method, body: body)?.kind == .connectionLost)
    #expect(server.requests.count == 2)
    await client.transport.shutdown()
  }

  @Test func `bytes that arrive on an idle connection never become a response`() async throws {
    let gate = Gate()
    let sent = Gate()
    let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)
    let server = try ScriptedServer { request in
      request.number > 0
        ? .respond(body: .text("good"))
        : ScriptedReply.surplusAfter(.respond(status: 204), evil, gate: gate).followed(by: .signal(sent))
    }
    let client = Client()
    #expect(try await client.fetch(server.url).status == 204)
    gate.open()
    try await sent.opened()
    #expect(try await client.fetch(server.url).text == "good")
    #expect(server.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test(arguments: [204, 304])
  func `a body that is not allowed never becomes a response`(_ status: Int) async throws {
    let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    let server = try ScriptedServer { request in
      request.number > 0
        ? .respond(body: .text("good"))
        : .verbatim("HTTP/1.1 \(status) None\r\nContent-Length: \(evil.utf8.count)\r\n\r\n" + evil)
    }
    let client = Client()
    #expect(try await client.fetch(server.url).status == status)
    #expect(try await client.fetch(server.url).text == "good")
    await client.transport.shutdown()
  }

  @Test(arguments: ["", "evil", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"])
  func `a body after the response to HEAD never becomes a response`(_ surplus: String) async throws {
    let server = try ScriptedServer { request in
      request.number > 0
        ? .respond(body: .text("good")) : .verbatim("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + surplus)
    }
    let client = Client()
    #expect(try await client.fetch(server.url, method: .head).status == 200)
    #expect(try await client.fetch(server.url).text == "good")
    await client.transport.shutdown()
  }

  @Test func `a connection that the server closes while it is idle is replaced`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { request in
      request.number == 0 ? ScriptedReply.respond().followed(by: .wait(gate), .close) : .respond(body: .text("ok"))
    }
    let client = Client()
    _ = try await client.fetch(server.url)
    gate.open()
    try await server.waitForOpenConnections(0)
    #expect(try await client.fetch(server.url, method: .post, body: .text("x")).text == "ok")
    await client.transport.shutdown()
  }

  @Test func `a connection is not used again after Connection close`() async throws {
    let server = try ScriptedServer(always: .respond(fields: ["Connection": "close"], body: .text("ok")))
    let client = Client()
    for _ in 1...3 { #expect(try await client.fetch(server.url).text == "ok") }
    #expect(server.connectionCount == 3)
    await client.transport.shutdown()
  }

  @Test func `identities share no connection`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let client = Client()
    for policy in [nil, 1, 2, 1] as [UInt64?] {
      let context = TransferContext(
        id: RequestID(1), connectionKey: ConnectionKey(trustPolicy: policy), sink: { _ in .collect(limit: 100) })
      let response = try await client.transport.send(OutgoingRequest(url: HTTPURL(server.url)), in: context)
      _ = try await response.body.end()
    }
    #expect(server.connectionCount == 3)
    await client.transport.shutdown()
  }

  @Test func `exchanges over the limit of a host wait their turn`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(always: ScriptedReply.respond(body: .text("ok")).preceded(by: .wait(gate)))
    var configuration = CurlTransport.Configuration()
    configuration.network.connectionsPerHost = 2
    let client = Client(configuration)
    let waits = Gate()
    let log = EventLog { event in if case .queued = event { waits.open() } }
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 1...6 { group.addTask { try await client.fetch(server.url, log: log).text } }
      try await waits.opened()
      gate.open()
      for try await text in group { #expect(text == "ok") }
    }
    #expect(server.connectionCount == 2)
    #expect(log.queuedCount == 4)
    await client.transport.shutdown()
  }

  @Test func `a hundred exchanges at once all succeed`() async throws {
    let server = try ScriptedServer { .respond(body: .text($0.path)) }
    let client = Client()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...100 {
        group.addTask { try await client.fetch(server.url + "/\(number)").text == "/\(number)" }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(server.connectionCount <= 64)
    await client.transport.shutdown()
  }
}
