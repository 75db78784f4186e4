import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineSupport
import Testing

@testable import LupineCache

/// Requests with a `Host` of their own, which is a part of the target URI (RFC 9110 section 7.1).
@Suite(.timeLimit(.minutes(1))) struct TargetHostTests {
  private static func bench() throws -> CacheBench {
    let bench = try CacheBench()
    bench.mock.stub(.get, "/{any...}") { request in
      .cached(request.headers[.host] ?? "none", "max-age=60")
    }
    bench.mock.stub(.post, "/{any...}", .text("posted"))
    return bench
  }

  private static func host(_ value: String) -> HTTPFields { [.host: value] }

  @Test func `requests to one address with other hosts share no response`() async throws {
    let bench = try Self.bench()
    for host in ["a.example", "b.example"] {
      #expect(await bench.get(CacheBench.url, Self.host(host)).text == host)
    }
    #expect(await bench.get().text == "none")
    await bench.session.finishBackgroundTasks()
    for host in ["a.example", "A.example:443", "b.example"] {
      let answer = await bench.get(CacheBench.url, Self.host(host))
      #expect(answer.text == (host == "b.example" ? host : "a.example"))
      #expect(answer.status == "hit; ttl=60")
    }
    #expect(bench.mock.requests.count == 3)
  }

  @Test func `the host of the URL is no host of its own`() async throws {
    let bench = try Self.bench()
    #expect(await bench.get().text == "none")
    await bench.session.finishBackgroundTasks()
    for host in ["example.com", "EXAMPLE.com", "example.com:443"] {
      #expect(await bench.get(CacheBench.url, Self.host(host)).status == "hit; ttl=60")
    }
  }

  @Test func `concurrent requests with other hosts do not share one response`() async throws {
    let bench = try Self.bench()
    async let first = bench.get(CacheBench.url, Self.host("a.example"))
    async let second = bench.get(CacheBench.url, Self.host("b.example"))
    #expect(await [first.text, second.text] == ["a.example", "b.example"])
  }

  @Test func `responses with No-Vary-Search are kept apart as well`() async throws {
    let bench = try CacheBench()
    bench.mock.stub(.get, "/{any...}") { request in
      .cached(request.headers[.host] ?? "none", "max-age=60", [.noVarySearch: "params"])
    }
    #expect(await bench.get(CacheBench.url + "?a", Self.host("a.example")).text == "a.example")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get(CacheBench.url + "?b", Self.host("b.example")).text == "b.example")
    #expect(await bench.get(CacheBench.url + "?c").text == "none")
  }

  @Test func `an unsafe request removes the responses of its host alone`() async throws {
    let bench = try Self.bench()
    for host in ["a.example", "b.example"] { _ = await bench.get(CacheBench.url, Self.host(host)) }
    await bench.session.finishBackgroundTasks()
    let request = bench.session.request(CacheBench.url, method: .post, headers: RequestHeaders(Self.host("a.example")))
    _ = await request.serializingString().response
    #expect(await bench.get(CacheBench.url, Self.host("a.example")).status == "fwd=uri-miss; stored")
    #expect(await bench.get(CacheBench.url, Self.host("b.example")).status == "hit; ttl=60")
  }
}
