import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

@testable import LupineNative

/// Tunnels that scripted proxies refuse, break off or fill with bytes of their own.
@Suite(.timeLimit(.minutes(1))) struct TunnelTests {
  private func client(_ proxy: String) throws -> Client {
    var client = Client.native()
    client.connectionKey.proxy = try Proxy(proxy)
    return client
  }

  @Test(arguments: [302, 401, 403, 407, 502])
  func `a refusal is the proxy's response, without content`(status: Int) async throws {
    let fields: RawFields = ["Content-Encoding": "gzip", "X-Reason": "rules", "Location": "http://evil.example.com/"]
    let proxy = try ScriptedServer(always: .respond(status: status, fields: fields, body: .text("not gzip")))
    let client = try client(proxy.url)
    var context = client.context()
    context.proxyAuthorization = "Basic dTpw"
    let response = try await client.transport.send(
      OutgoingRequest(url: HTTPURL("https://a.example.com/secret"), method: .post, body: .text("secret")), in: context)
    #expect(response.head.status.code == status && response.source == .proxy)
    #expect(response.head.headerFields.contains { $0.name.canonicalName == "x-reason" })
    #expect(response.head.headerFields[.contentEncoding] == nil)
    #expect(try await response.body.end().data.isEmpty)
    #expect(proxy.requests.map(\.target) == ["a.example.com:443"])
    #expect(proxy.requests.first?.fields["Proxy-Authorization"] == "Basic dTpw")
    #expect(proxy.requests.first?.fields.count == 2)
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }

  @Test func `a proxy that ends the connection, after every byte, is an error`() async throws {
    let head = Array("HTTP/1.1 200 OK\r\nX: y\r\n\r\n".utf8)
    for count in 0..<head.count {
      let reply = ScriptedReply([.raw(Array(head[..<count])), .close])
      let proxy = try ScriptedServer(always: reply)
      let client = try client(proxy.url)
      let error = await client.failure("https://a.example.com/")
      #expect(error?.kind == .proxyFailed, "after \(count) bytes")
      #expect(error?.message.contains("The proxy \(proxy.url) ended the connection") == true)
      await client.transport.shutdown()
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", LupineError.Kind.malformedResponse),
    ("SSH-2.0-x\r\n", .malformedResponse), ("HTTP/1.1 101 Switching\r\n\r\n", .malformedResponse),
  ])
  func `bytes that are not the response to CONNECT are an error`(text: String, kind: LupineError.Kind) async throws {
    let proxy = try ScriptedServer(always: ScriptedReply([.raw(Array(text.utf8))], connection: .keep))
    let client = try client(proxy.url)
    let error = await client.failure("https://a.example.com/")
    #expect(error?.kind == kind && error?.message.contains(proxy.url) == true)
    #expect(proxy.requests.count == 1)
    await client.transport.shutdown()
  }

  @Test func `a tunnel that leads nowhere is a failed handshake, after the event`() async throws {
    let proxy = try ScriptedServer(always: ScriptedReply([.head(status: 200, fields: [:])], connection: .close))
    let (client, log) = (try client(proxy.url), EventLog())
    let error = await client.failure("https://a.example.com/", log: log)
    #expect(error?.kind == .tlsFailed)
    #expect(log.tunnels == [200])
    await client.transport.shutdown()
  }

  @Test func `a proxy that never answers passes the connect timeout, and a cancellation ends the wait`() async throws {
    let silent = try SilentPort()
    var client = try client("http://127.0.0.1:\(silent.port)")
    client.connectTimeout = .milliseconds(80)
    #expect(await client.failure("https://a.example.com/")?.kind == .timedOut(.connect))
    client.connectTimeout = nil
    let gate = Gate()
    let proxy = try ScriptedServer { _ in ScriptedReply([.wait(gate)], connection: .close) }
    client.connectionKey.proxy = try Proxy(proxy.url)
    let control = ExchangeControl()
    async let failure = client.failure("https://a.example.com/", control: control)
    _ = try await proxy.waitForRequest()
    control.cancel(LupineError(.cancelled, "The test has seen enough."))
    #expect(await failure?.kind == .cancelled)
    gate.open()
    #expect(await client.transport.connectionPool() == ConnectionPoolSnapshot())
    await client.transport.shutdown()
  }
}
