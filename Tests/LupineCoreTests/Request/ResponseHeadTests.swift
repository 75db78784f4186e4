import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineStreams
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct ResponseHeadTests {
  @Test func `a response is received if its head is allowed`() async throws {
    let seen = Notes<Int>()
    let value = try await (try TestBed(.text("hello")).session()).request(TestBed.url).onHTTPResponse { head in
      seen.add(head.status.code)
      return .allow
    }.serializingString().value
    #expect(value == "hello")
    #expect(seen.all == [200])
  }

  @Test func `a response is cancelled at its head, and no retrier is asked`() async throws {
    let bench = TestBed(.text("hello"))
    let response = await (try bench.session { $0.retrier(.backoff()) }).request(TestBed.url)
      .onHTTPResponse { _ in .cancel }.serializingString().response
    #expect(response.error?.kind == .cancelled)
    #expect(response.error?.message.contains("status 200") == true)
    #expect(bench.mock.requests.count == 1)
    #expect(bench.log.finishedCount == 1)
  }

  @Test func `the first who cancels decides`() async throws {
    let seen = Notes<Int>()
    let request = try TestBed().session().request(TestBed.url)
      .onHTTPResponse { _ in
        seen.add(1)
        return .cancel
      }
      .onHTTPResponse { _ in
        seen.add(2)
        return .allow
      }
    #expect(await request.serializingData().response.error?.kind == .cancelled)
    #expect(seen.all == [1])
  }

  @Test func `a redirect is not shown, and each attempt is`() async throws {
    let seen = Notes<Int>()
    let bench = TestBed { mock in
      mock.stub(.get, "/old", .redirect(to: "/new"))
      mock.stub(.get, "/new", .sequence([.status(.serviceUnavailable), .text("hello")]))
    }
    let request = try bench.session { $0.retrier(.backoff()) }.request("https://a.example.com/old")
      .onHTTPResponse { head in
        seen.add(head.status.code)
        return .allow
      }
    _ = await request.validate().serializingData().response
    #expect(seen.all == [503, 200])
    #expect(request.allMetrics.count == 4)
  }

  @Test func `a stream hands nothing over that was cancelled at its head`() async throws {
    let session = try TestBed(.text("hello")).session()
    let stream = session.streamRequest(TestBed.url).onHTTPResponse { _ in .cancel }.serializingBytes()
    await #expect { for try await _ in stream { Issue.record("a piece") } } throws: { error in
      (error as? LupineError)?.kind == .cancelled
    }
  }

  @Test func `interim responses come in order, whole, and before the response`() async throws {
    let hints = ["</a.css>; rel=preload", "</b.js>; rel=preload"].map { link in
      HTTPResponse(status: .init(code: 103), headerFields: [.link: link, .setCookie: "a=1"])
    }
    let seen = Notes<String>()
    let request = try TestBed(.text("hello").informational(hints)).session().request(TestBed.url)
      .onInterimResponse { seen.add($0.headerFields[.link] ?? "") }
    _ = try await request.serializingString().value
    #expect(seen.all == hints.map { $0.headerFields[.link] ?? "" })
  }

  @Test func `trailers are the request's, and an event without secrets`() async throws {
    let bench = TestBed(.text("hello").trailers([.eTag: "\"x\"", .setCookie: "secret"]))
    let request = try bench.session().streamRequest(TestBed.url)
    for try await _ in request.serializingBytes() {}
    #expect(await request.trailers?[.eTag] == "\"x\"")
    let heard = bench.log.all.compactMap { if case .trailers(let fields) = $0.kind { fields } else { nil } }
    #expect(heard.map { $0[.setCookie] } == ["<redacted>"])
  }

  @Test func `adapters are named by the events`() async throws {
    let bench = TestBed()
    _ = await (try bench.session { $0.baseURL(TestBed.url).adapter(BearerToken("hidden")) }).request(TestBed.url)
      .serializingData().response
    let names = bench.log.all.compactMap { if case .adapted(_, let name) = $0.kind { name } else { nil } }
    #expect(names == ["BearerToken"])
  }

  @Test func `the result of a serializer is an event`() async throws {
    let bench = TestBed(.text("hello"))
    let request = try bench.session().request(TestBed.url)
    _ = await request.serializingString().response
    _ = await request.serializingJSON().response
    let heard = bench.log.all.compactMap { event -> String? in
      if case .serialized(let type, _, let error) = event.kind { "\(type) \(error == nil)" } else { nil }
    }
    #expect(heard == ["String true", "JSONValue false"])
  }
}

extension HTTPField.Name {
  fileprivate static let link = HTTPField.Name("Link") ?? .server
}
