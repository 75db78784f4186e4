import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore

@Suite struct RequestRulesTests {
  @Test(arguments: [HTTPField.Name.contentLength, .transferEncoding])
  func `the framing of the body is the transport's to set`(name: HTTPField.Name) async throws {
    let bench = Bench()
    let response = await (try bench.session()).request(Bench.url, headers: [name: "5"]).serializingData().response
    #expect(response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `CONNECT is refused`() async throws {
    let response = await (try Bench().session()).request(Bench.url, method: .connect).serializingData().response
    #expect(response.error?.kind == .invalidRequest)
  }

  @Test func `fields over the limit are refused by its name`() async throws {
    let bench = Bench()
    let response = await (try bench.session())
      .request(Bench.url, headers: [.custom: String(repeating: "a", count: 61 << 10)]).serializingData().response
    #expect(response.error?.kind == .limitExceeded(.requestFields))
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `what an interceptor puts into a request is checked, too`() async throws {
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
    let bench = Bench()
    let response = await (try bench.session()).request(Bench.url).interceptor(Bad()).serializingData().response
    #expect(response.error?.kind == .invalidRequest)
    #expect(bench.mock.requests.isEmpty)
  }
}
