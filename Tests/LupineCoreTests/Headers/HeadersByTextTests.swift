import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

/// Fields of swift-http-types whose names are texts.
@Suite struct HeadersByTextTests {
  private let bench = TestBed(.text("hello").field("ETag", "\"1\""))

  @Test func `a name is a text, in any case`() async throws {
    var fields: HTTPFields = [.accept: "text/plain"]
    #expect(fields["ACCEPT"] == "text/plain")
    fields["x-trace"] = "1"
    fields["X-Trace"] = "2"
    #expect(fields[values: HTTPField.Name("X-Trace")!] == ["2"])
    fields["Accept"] = nil
    #expect(fields["Accept"] == nil)
    #expect(fields.count == 1)
    let response = try await bench.session().request(TestBed.url).serializingData().response
    #expect(response.headers["etag"] == "\"1\"")
    #expect(response.headers["no such field"] == nil)
  }

  @Test(
    arguments: [
      ("X Trace", "1", "“X Trace” has a name that is no token"), ("", "1", "has a name that is no token"),
      ("X-Trace", "a\r\nHost: b", "X-Trace has a control byte"), ("X-Trace", " a", "white space at its ends"),
      (":status", "200", "has a name that is no token"),
    ])
  func `a field that cannot be sent ends the request, and nothing is sent`(
    name: String, value: String, message: String
  ) async throws {
    let session = try bench.session { $0.adapter { request, _ in request.headers[name] = value } }
    let error = await session.request(TestBed.url).serializingData().response.error
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `removing a name that is no token changes nothing`() {
    var fields: HTTPFields = [.accept: "text/plain"]
    fields["a b"] = nil
    #expect(fields.count == 1)
  }
}
