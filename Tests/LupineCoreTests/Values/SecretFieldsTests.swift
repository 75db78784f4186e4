import HTTPTypes
import LupineCore
import Testing

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
}
