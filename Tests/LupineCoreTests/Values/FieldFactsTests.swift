import HTTPTypes
import Testing

@testable import LupineCore

struct FieldFactsTests {
  private let broken = HTTPField(name: .userAgent, lenientValue: "a\u{1}b".utf8)

  @Test func `fields that are changed are looked at again`() throws {
    var request = OutgoingRequest(url: try HTTPURL("http://a.example/"))
    request.scanFields()
    #expect(request.fieldFacts.findings == [])
    request.headers.append(broken)
    #expect(request.fieldFacts.findings == .invalidValue)
    #expect(throws: LupineError.self) { try RequestRules.checkFields(of: request, limit: .max) }
  }

  @Test func `facts about shared fields are not used for other fields`() throws {
    let shared = SharedFields([.accept: "text/plain"])
    var request = try #require(shared.added(to: OutgoingRequest(url: try HTTPURL("http://a.example/"))))
    #expect(shared.added(to: request) == nil)
    #expect(request.fieldFacts.findings == .accept)
    #expect(request.fieldFacts.size == "Accept: text/plain\r\n".utf8.count)
    let original = request
    request.headers = [.cookie: "a=b", .contentLength: "1"]
    #expect(request.fieldFacts.findings == [.cookie, .framing])
    #expect(original.fieldFacts.findings == .accept)
  }
}
