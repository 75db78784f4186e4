import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct RequestRulesTests {
  @Test(arguments: [HTTPField.Name.contentLength, .transferEncoding])
  func `the framing of the body is the transport's to set`(name: HTTPField.Name) async throws {
    let bench = TestBed()
    let response = await (try bench.session()).request(TestBed.url, headers: [.init(name): "5"]).serializingData()
      .response
    #expect(response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `CONNECT is refused`() async throws {
    let response = await (try TestBed().session()).request(TestBed.url, method: .connect).serializingData().response
    #expect(response.error?.kind == .invalidRequest)
  }

  private static let withBody: [@Sendable (Session, HTTPRequest.Method) throws -> DataRequest] = [
    { $0.request(TestBed.url, method: $1, parameters: ["a": 1], encoder: .json) },
    { $0.request(TestBed.url, method: $1, parameters: ["a": "b"] as [String: String], encoder: .propertyList) },
    { $0.request(TestBed.url, method: $1, parameters: ["a": 1], encoder: .urlEncodedForm(destination: .httpBody)) },
    { $0.request(try OutgoingRequest(TestBed.url, method: $1, body: .text("a"))) },
    { $0.request(try OutgoingRequest(TestBed.url, method: $1, body: .bytes(Data()))) },
    { $0.request(TestBed.url, method: $1).adapter(Embodying()) },
    { $0.request(TestBed.url, method: $1).interceptor(Embodying()) },
  ]

  @Test(arguments: withBody.indices)
  func `a GET has a body only if its options allow one`(index: Int) async throws {
    let bench = TestBed()
    let session = try bench.session()
    let refused = await (try Self.withBody[index](session, .get)).serializingData().response
    #expect(refused.error?.kind == .invalidRequest)
    #expect(refused.error?.message.contains("allowsBodyWithGET") == true)
    #expect(bench.mock.requests.isEmpty)
    let request = try Self.withBody[index](session, .get).options { $0.allowsBodyWithGET = true }
    #expect(await request.serializingData().response.error == nil)
    #expect(bench.mock.requests.count == 1)
  }

  @Test(arguments: withBody.indices, [HTTPRequest.Method.head, .trace])
  func `HEAD and TRACE never have a body`(index: Int, method: HTTPRequest.Method) async throws {
    let bench = TestBed()
    let request = try Self.withBody[index](try bench.session(), method).options { $0.allowsBodyWithGET = true }
    #expect(await request.serializingData().response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .options, HTTPRequest.Method("QUERY")])
  func `all other methods may have a body`(method: HTTPRequest.Method?) async throws {
    let method = try #require(method)
    let bench = TestBed()
    bench.mock.stub([method], "/{any...}", .text("fine"))
    for make in Self.withBody {
      #expect(await (try make(try bench.session(), method)).serializingData().response.error == nil)
    }
    #expect(bench.mock.requests.count == Self.withBody.count)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head, .trace])
  func `the same rule applies to an upload`(method: HTTPRequest.Method) async throws {
    let bench = TestBed()
    let session = try bench.session()
    for body in [
      RequestBody.text("a"), .bytes(Data()), .file(#filePath), .stream { AsyncStream<[UInt8]> { $0.finish() } },
    ] {
      let error = await session.upload(body, to: TestBed.url, method: method).serializingData().response.error
      #expect(error?.kind == .invalidRequest)
    }
    #expect(bench.mock.requests.isEmpty)
    let allowed = session.upload(.text("a"), to: TestBed.url, method: method).options { $0.allowsBodyWithGET = true }
    #expect(await (allowed.serializingData().response.error == nil) == (method == .get))
    #expect(bench.mock.requests.map(\.text) == (method == .get ? ["a"] : []))
  }

  @Test func `a redirect of a GET with a body keeps its options`() async throws {
    let bench = TestBed {
      $0.stub(.get, "/old", .redirect(to: "/new", status: .temporaryRedirect))
      $0.stub(.get, "/new", .text("fine"))
    }
    let request = try OutgoingRequest("https://example.com/old", body: .text("a"))
    let response = await (try bench.session()).request(request).options { $0.allowsBodyWithGET = true }
      .serializingString().response
    #expect(response.value == "fine")
    #expect(bench.mock.requests.map(\.text) == ["a", "a"])
  }

  @Test func `fields over the limit are refused by its name`() async throws {
    let bench = TestBed()
    let response = await (try bench.session())
      .request(TestBed.url, headers: [.custom: String(repeating: "a", count: 61 << 10)]).serializingData()
      .response
    #expect(response.error?.kind == .limitExceeded(.requestFields))
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `a request that an interceptor changed is checked as well`() async throws {
    struct Bad: Interceptor {
      func intercept(
        _ request: OutgoingRequest, context: TransferContext,
        next: (OutgoingRequest) async throws -> TransportResponse
      ) async throws -> TransportResponse {
        var request = request
        request.headers[.contentLength] = "5"
        return try await next(request)
      }
    }
    let bench = TestBed()
    let response = await (try bench.session()).request(TestBed.url).interceptor(Bad()).serializingData().response
    #expect(response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.isEmpty)
  }
}

private struct Embodying: RequestAdapter, Interceptor {
  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    request.with(.text("a"))
  }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse { try await next(request.with(.text("a"))) }
}

extension OutgoingRequest {
  fileprivate func with(_ body: RequestBody) -> OutgoingRequest {
    var request = self
    request.body = body
    return request
  }
}
