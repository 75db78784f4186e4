import HTTPTypes
import LupineCore
import LupineFixtures
import Testing

@testable import LupineSession

@Suite struct SecretFieldsTests {
  @Test func `the same names are equal, in whatever order they were marked`() {
    var first = SecretFields(names: [.server, .cookie])
    var second = SecretFields(names: [.age])
    for name in [HTTPField.Name.cookie, .server] { second.insert(name) }
    first.insert(.age)
    first.insert(.age)
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
  }

  @Test func `a name is secret however it is written`() throws {
    let name = try #require(HTTPField.Name("x-api-KEY"))
    #expect(SecretFields.standard.contains(name))
    #expect(!SecretFields.standard.contains(.age))
  }

  @Test(arguments: SecretFieldNames.secret) func `the token of a service is secret wherever people read it`(
    name: String
  )
    throws
  {
    let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "s3cr3t")
    #expect(SecretFields.standard.contains(field.name))
    #expect(SecretParameters.isSecret(name))
    #expect(SecretParameters.isSecret("headers[\(name.lowercased())]"))
    #expect(!SentFields(HTTPFields([field])).description.contains("s3cr3t"))
    #expect(
      HTTPResponse(status: .ok, headerFields: HTTPFields([field])).redacted().headerFields[field.name] == "<redacted>")
    let request = try OutgoingRequest("https://example.com/a", headers: HTTPFields([field]))
    #expect(!CurlCommand(request, secrets: .standard).description.contains("s3cr3t"))
    #expect(request.moved(to: try HTTPURL("https://other.example/a")).headers[field.name] == nil)
    #expect(request.moved(to: try HTTPURL("https://example.com/b")).headers[field.name] == "s3cr3t")
  }

  @Test(arguments: SecretFieldNames.harmless) func `a field that only looks like a token is shown and sent on`(
    name: String
  ) throws {
    let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "shown")
    #expect(!SecretFields.standard.contains(field.name))
    #expect(!SecretParameters.isSecret(name))
    #expect(SentFields(HTTPFields([field])).description.contains("shown"))
    let request = try OutgoingRequest("https://example.com/a", headers: HTTPFields([field]))
    #expect(request.moved(to: try HTTPURL("https://other.example/a")).headers[field.name] == "shown")
  }
}
