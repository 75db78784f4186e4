import HTTPTypes
import LupineCore
import LupineTesting
import Testing
import TransportSupport

@testable import LupineNative

/// Requests that an HTTP proxy forwards.
@Suite(.timeLimit(.minutes(1))) struct ForwardingTests {
  private func client(_ proxy: String) throws -> Client {
    var client = Client.native()
    client.connectionKey.proxy = try Proxy(proxy)
    return client
  }

  @Test func `servers behind a proxy share its connections, and two proxies share none`() async throws {
    let proxy = try ScriptedServer { .respond(body: .text($0.target)) }
    let first = try client(proxy.url)
    var second = first
    second.connectionKey.proxy = try Proxy(proxy.url.replacing("://", with: "://ali:x@"))
    for url in ["http://a.example.com/b?c", "http://b.example.com:8080/", "http://[::1]/%2Fx"] {
      #expect(try await first.fetch(url).text == url)
    }
    #expect(proxy.requests.map { $0.fields["Host"] } == ["a.example.com", "b.example.com:8080", "[::1]"])
    #expect(proxy.connectionCount == 1)
    #expect(try await second.fetch("http://a.example.com/").text == "http://a.example.com/")
    #expect(proxy.connectionCount == 2)
    await first.transport.shutdown()
  }

  @Test func `a direct connection to the address of a proxy does not go through it`() async throws {
    let proxy = try ScriptedServer { .respond(body: .text($0.target)) }
    let forwarded = try client(proxy.url)
    var direct = forwarded
    direct.connectionKey.proxy = nil
    #expect(try await forwarded.fetch(proxy.url + "/a").text == proxy.url + "/a")
    #expect(try await direct.fetch(proxy.url + "/a").text == "/a")
    #expect(proxy.connectionCount == 2)
    await forwarded.transport.shutdown()
  }

  @Test func `the network policy applies to each server address that a request sends to the proxy`() async throws {
    let proxy = try ScriptedServer(always: .respond(body: .text("ok")))
    var client = try client(proxy.url)
    client.connectionKey.networkPolicy = NetworkPolicy(otherwise: .deny).allowing("192.0.2.1")
    #expect(try await client.fetch("http://192.0.2.1/").text == "ok")
    #expect(await client.failure("http://192.0.2.2/")?.kind == .addressRefused)
    #expect(proxy.requests.count == 1)
    await client.transport.shutdown()
  }

  @Test func `a 407 after content closes the connection, and one without content keeps it`() async throws {
    let proxy = try ScriptedServer(always: .respond(status: 407, body: .text("who?")))
    let client = try client(proxy.url)
    let requests: [(HTTPRequest.Method, RequestBody)] = [(.get, .none), (.post, .text("content")), (.get, .none)]
    for (method, body) in requests {
      #expect(try await client.fetch("http://a.example.com/", method: method, body: body).text == "who?")
    }
    #expect(proxy.connectionCount == 2)
    await client.transport.shutdown()
  }

  @Test func `a proxy that is not there is an error that names it`() async throws {
    let closed = try ClosedPort()
    let client = try client(closed.url)
    let error = await client.failure("http://a.example.com/")
    #expect(error?.kind == .proxyFailed && error?.message.contains("The proxy \(closed.url)") == true)
    await client.transport.shutdown()
  }

  @Test func `a proxy needs what the transport has`() async throws {
    var client = try client("http://127.0.0.1:1")
    client.connectionKey.unixSocket = "/tmp/x"
    let both = await client.failure("http://a.example.com/")
    client.connectionKey.unixSocket = nil
    client.connectionKey.proxy = try Proxy("http://127.0.0.1:1").connectionCredential(.negotiate)
    let negotiate = await client.failure("http://a.example.com/")
    for error in [both, negotiate] {
      guard case .configuration = error?.kind else {
        Issue.record("another error: \(String(describing: error))")
        continue
      }
    }
    await client.transport.shutdown()
  }
}
