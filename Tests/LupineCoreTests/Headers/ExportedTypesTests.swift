// Imports LupineCore alone, without HTTPTypes.
import LupineCore
import Testing

@Suite struct ExportedTypesTests {
  @Test func `LupineCore alone has the types of swift-http-types`() throws {
    let method: HTTPRequest.Method = .put
    let fields: HTTPFields = [.accept: "text/plain"]
    let request = try OutgoingRequest("https://example.com/", method: method, headers: fields)
    #expect(request.method.rawValue == "PUT")
    #expect(request.headers[.accept] == "text/plain")
    #expect(HTTPResponse.Status.ok.code == 200)
  }
}
