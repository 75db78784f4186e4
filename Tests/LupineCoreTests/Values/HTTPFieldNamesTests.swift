import HTTPTypes
import LupineSupport
import Testing

@testable import LupineCore

@Suite struct HTTPFieldNamesTests {
  @Test func `the names that stand in the source are those that go out`() {
    #expect(HTTPField.Name.host.rawName == "Host")
    #expect(HTTPField.Name.idempotencyKey.rawName == "Idempotency-Key")
  }
}
